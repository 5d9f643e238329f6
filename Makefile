# Every target is one line of what a person would type; what CI runs stands in
# .ci/run and nowhere else.
.DEFAULT_GOAL := help
FUZZTIME ?= 30s

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  %-10s %s\n", $$1, $$2}'

build: ## build the programs into bin/
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/...

test: ## run the tests; what needs more than Go is skipped with a reason
	go test ./...

check: ## run all that CI runs
	.ci/run

cover: ## run the tests, print skips and coverage, fail under 90 % of the packages that decide
	.ci/run test

fuzz: ## run each fuzz target for FUZZTIME (30s)
	go run ./tools/fuzz -each $(FUZZTIME)

bench: ## compare decisions with other engines, the store with plain inserts; docs/speed.md
	cd bench && go run . -product ..

long: ## run the long forms: 200 kills and more, changes of the code that decides; see CONTRIBUTING.md
	LICET_LONG=1 go test -count=1 -timeout 2h ./...
	GOFLAGS=-skip=TestPlantedBug go run ./tools/gomutate -keep bin/gomutate -floor 85 internal/contract internal/decide internal/shell

rows: ## take away each part of the table of programs, print those that no test misses
	LICET_LONG=1 go test -count=1 -v -run TestRemovals ./internal/shell

lint: ## gofmt, vet and staticcheck
	.ci/run format vet lint

vuln: ## look for known vulnerabilities that our code can reach
	.ci/run vuln

cross: ## build for the other systems
	.ci/run cross

peers: ## install the npm peers that some tests talk to
	.ci/run peers

changelog: ## write the Unreleased section of CHANGELOG.md from commit subjects
	go run ./tools/changelog CHANGELOG.md

clean: ## remove what was built and installed here
	rm -rf bin test/peers/node_modules

.PHONY: help build test check cover fuzz bench long rows lint vuln cross peers changelog clean
