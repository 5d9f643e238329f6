package importtest

import (
	"fmt"
	"slices"
	"strings"
)

// scopes says which code may import a module. Tests may import what the
// product imports.
var scopes = []string{"product", "lab", "test", "tool"}

// allowed is one line of allow.txt.
type allowed struct {
	module, scope string
}

// parseAllow reads lines of the form "module scope reason". Empty lines and
// lines that begin with # are comments.
func parseAllow(text string) ([]allowed, error) {
	var list []allowed
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 || !slices.Contains(scopes, fields[1]) {
			return nil, fmt.Errorf("line %d: want `module %s reason`", number, strings.Join(scopes, "|"))
		}
		if slices.ContainsFunc(list, func(a allowed) bool { return a.module == fields[0] }) {
			return nil, fmt.Errorf("line %d: %s stands twice", number, fields[0])
		}
		list = append(list, allowed{fields[0], fields[1]})
	}
	return list, nil
}

// requirement is one module that go.mod requires.
type requirement struct {
	module string
	direct bool
}

// parseRequirements reads the require directives of a go.mod file as `go mod
// tidy` writes them: one a line, in blocks or alone.
func parseRequirements(text string) []requirement {
	var list []requirement
	inBlock := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			inBlock = true
			continue
		case line == ")":
			inBlock = false
		}
		line, alone := strings.CutPrefix(line, "require ")
		fields := strings.Fields(line)
		if (inBlock || alone) && len(fields) >= 2 && !strings.HasPrefix(fields[0], "//") {
			list = append(list, requirement{fields[0], !strings.HasSuffix(line, "// indirect")})
		}
	}
	return list
}

// checkModules returns every break of the rules for modules of others: each
// one that code imports stands in allow.txt with a scope that fits, and
// allow.txt says nothing that go.mod and the code do not need.
func checkModules(sources []source, list []allowed, required []requirement) []problem {
	var problems []problem
	used := map[allowed]bool{}
	for _, s := range sources {
		for _, spec := range s.file.Imports {
			path := importPath(spec)
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || path == module || strings.HasPrefix(path, module+"/") {
				continue // the standard library has no dot in its first element
			}
			i := lineOf(list, path)
			if text := moduleBreak(s, list, i); text != "" {
				problems = append(problems, problem{s.pkg + "/" + s.name, "imports " + path + ": " + text})
				continue
			}
			if list[i].scope != "product" || !s.isTest() {
				used[list[i]] = true
			}
		}
	}
	for _, a := range list {
		if !used[a] {
			problems = append(problems, problem{"allow.txt", fmt.Sprintf("no %s code imports %s: remove the line or correct its scope", a.scope, a.module)})
		}
		if !slices.ContainsFunc(required, func(r requirement) bool { return r.module == a.module }) {
			problems = append(problems, problem{"allow.txt", fmt.Sprintf("go.mod does not require %s", a.module)})
		}
	}
	for _, r := range required {
		if r.direct && !slices.ContainsFunc(list, func(a allowed) bool { return a.module == r.module }) {
			problems = append(problems, problem{"go.mod", fmt.Sprintf("requires %s, which has no line with a reason in allow.txt", r.module)})
		}
	}
	return problems
}

// lineOf returns the line of the module that a package is in, -1 if there is none.
// Of a module and one nested in it, the nested one has it.
func lineOf(list []allowed, path string) int {
	found := -1
	for i, a := range list {
		if match(a.module+"/...", path) && (found < 0 || len(a.module) > len(list[found].module)) {
			found = i
		}
	}
	return found
}

// moduleBreak says why s may not import a module with line i of the list.
func moduleBreak(s source, list []allowed, i int) string {
	if i < 0 {
		return "its module has no line with a reason in allow.txt"
	}
	scope := list[i].scope
	switch {
	case scope == "test" && !s.isTest():
		return "allow.txt permits it to tests only"
	case scope == "lab" && !match("internal/lab/...", s.pkg):
		return "allow.txt permits it to the lab only"
	case scope == "tool" && !match("tools/...", s.pkg):
		return "allow.txt permits it to tools only"
	}
	return ""
}
