package shelltrace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// files are what the workspace holds. Names are those that documentation likes.
var files = map[string]string{
	"README.md":            "# Demo\n\nSee [docs](docs/guide.md). TODO: write more.\n",
	"notes.txt":            "alpha beta\ngamma delta\nhello world\nfoo bar\n",
	"a.txt":                "apple\nbanana\ncherry\n",
	"b.txt":                "banana\ncherry\ndate\n",
	"file":                 "one\ntwo\nthree\n",
	"file1":                "one\n",
	"file2":                "two\n",
	"file.txt":             "foo 1\nbar 2\nbaz 3\n",
	"foo":                  "foo\n",
	"bar":                  "bar\n",
	"input.txt":            "3 c\n1 a\n2 b\n",
	"data.csv":             "id,name,city\n1,ann,Oslo\n2,bob,Rome\n",
	"data.json":            `{"name": "demo", "items": [{"id": 1}, {"id": 2}]}` + "\n",
	"package.json":         `{"name": "demo", "version": "1.0.0", "scripts": {"test": "true"}}` + "\n",
	"config.yaml":          "name: demo\nport: 8080\n",
	"config.ini":           "[main]\nkey = value\n",
	".env":                 "TOKEN=none\n",
	".gitignore":           "build/\n*.log\n",
	"Makefile":             "all:\n\techo built > out.txt\nclean:\n\trm -f out.txt\n",
	"script.sh":            "#!/bin/sh\necho script >> script.out\n",
	"script.py":            "open('py.out', 'w').write('x')\n",
	"main.py":              "print('hello')\n",
	"main.c":               "#include <stdio.h>\nint main(void) { puts(\"hi\"); return 0; }\n",
	"main.go":              "package main\n\nfunc main() { println(\"hi\") }\n",
	"list.txt":             "a.txt\nb.txt\n",
	"old.txt":              "old\n",
	"fix.patch":            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n apple\n-banana\n+blueberry\n cherry\n",
	"name with space.txt":  "spaces\n",
	"src/main.c":           "int util(void);\nint main(void) { return util(); }\n",
	"src/util.c":           "/* TODO */\nint util(void) { return 0; }\n",
	"src/util.h":           "int util(void);\n",
	"src/lib/a.py":         "import os\n",
	"src/lib/b.py":         "import sys\n",
	"src/app.js":           "console.log('app');\n",
	"src/index.ts":         "export const x = 1;\n",
	"docs/guide.md":        "# Guide\n\nfoo\n",
	"docs/api/index.md":    "# API\n",
	"tests/test_main.py":   "def test(): assert True\n",
	"logs/app.log":         "INFO start\nERROR failed\nINFO end\n",
	"logs/old.log":         "WARN x\n",
	"build/main.o":         "object",
	"build/util.o":         "object",
	"dir/x":                "x\n",
	"dir/y":                "y\n",
	"dir1/one":             "1\n",
	"dir2/two":             "2\n",
	"tmp/scratch":          "scratch\n",
	"../home/.profile":     "# profile\n",
	"../home/notes.txt":    "home notes\n",
	"../home/.bashrc":      "# bashrc\n",
	"../home/docs/a.txt":   "a\n",
	"../home/.ssh/config":  "Host *\n",
	"../home/.gitconfig":   "[user]\n\tname = Demo\n\temail = demo@example.org\n",
	"../outside/other.txt": "other\n",
}

// setup makes the repository, links and archives of the workspace.
const setup = `set -e
chmod 755 script.sh script.py
mkdir empty
ln -s notes.txt link
ln -s docs dirlink
ln -s ../outside outlink
git init -q -b main .
printf '#!/bin/sh\nexit 0\n' > .git/hooks/post-commit
chmod 755 .git/hooks/post-commit
git remote add origin https://git.example.org/demo/demo.git
git add -A
git commit -q -m 'First commit'
git branch feature
git checkout -q -b topic
echo topic >> notes.txt
git commit -q -am 'Topic'
git checkout -q main
echo more >> a.txt
git commit -q -am 'More apples'
git tag v1.0
echo changed >> b.txt
echo new > untracked.txt
tar czf archive.tar.gz docs
tar cf archive.tar docs
gzip -k old.txt`

// newFixture makes the workspace and the home of commands below a folder, which
// must have no link in its path.
func newFixture(dir string) (workspace, home string, err error) {
	workspace, home = filepath.Join(dir, "work"), filepath.Join(dir, "home")
	for name, content := range files {
		file := filepath.Join(workspace, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", "", fmt.Errorf("making the workspace: %w", err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return "", "", fmt.Errorf("making the workspace: %w", err)
		}
	}
	c := exec.Command("bash", "-c", setup)
	c.Dir, c.Env = workspace, []string{"PATH=" + searchPath, "HOME=" + home, "LANG=C.UTF-8"}
	if out, err := c.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("making the workspace: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return workspace, home, nil
}
