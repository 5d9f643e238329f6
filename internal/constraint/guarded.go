package constraint

import "strings"

// Guarded is a group of files that steer an agent, git, a shell or licet. A
// `path: {write: ...}` covers one of them only by a pattern without any
// wildcard that names it (contract language, section 2, rule 10).
type Guarded struct {
	Pattern string // names below any directory; D/** is D and all below it
	Why     string // what it steers
}

// guarded is matched at any depth and without regard to letter case, on every
// system. A folder of settings is guarded as a whole: agents add files to
// theirs faster than a list can follow.
var guarded = []Guarded{
	{"licet.yaml", "licet: contract"},
	{"licet.yml", "licet: contract"},
	{"licet.db*", "licet: evidence, tickets, limits"},
	{".licet/**", "licet: state and keys"},
	{".local/state/licet/**", "licet: state and keys"},
	{".config/licet/**", "licet: contracts and catalogs"},
	{"Application Support/licet/**", "licet: state, contracts and catalogs"},
	{"AppData/Local/licet/**", "licet: state and keys"},
	{"AppData/Roaming/licet/**", "licet: contracts and catalogs"},

	{".claude/**", "Claude Code: settings, hooks, commands, agents, skills"},
	{".claude.json", "Claude Code: settings and MCP servers of the user"},
	{"CLAUDE.md", "Claude Code: instructions"},
	{"CLAUDE.local.md", "Claude Code: instructions"},
	{"managed-settings.json", "Claude Code: settings of the organization"},
	{"managed-mcp.json", "Claude Code: MCP servers of the organization"},
	{"claude_desktop_config.json", "Claude Desktop: MCP servers"},
	{".mcp.json", "several agents: MCP servers of a project"},
	{"mcp.json", "several agents: MCP servers"},
	{"mcp-config.json", "several agents: MCP servers"},
	{"mcp_config.json", "several agents: MCP servers"},

	{".codex/**", "Codex: settings, hooks, MCP servers"},
	{".agents/**", "several agents: skills and instructions"},
	{"AGENTS.md", "several agents: instructions"},
	{"AGENTS.override.md", "Codex: instructions"},

	{".gemini/**", "Gemini CLI: settings, hooks, MCP servers"},
	{"GEMINI.md", "Gemini CLI: instructions"},
	{".qwen/**", "Qwen Code: settings, hooks, MCP servers"},
	{"QWEN.md", "Qwen Code: instructions"},

	{".cursor/**", "Cursor: rules, hooks, MCP servers"},
	{".cursorrules", "Cursor: instructions"},

	{".github/hooks/**", "Copilot: hooks"},
	{".github/agents/**", "Copilot: agents"},
	{".github/prompts/**", "Copilot: prompts"},
	{".github/instructions/**", "Copilot: instructions"},
	{".github/copilot-instructions.md", "Copilot: instructions"},
	{".copilot/**", "Copilot CLI: settings, hooks, MCP servers"},
	{".vscode/**", "VS Code: settings, tasks, MCP servers"},
	{"*.code-workspace", "VS Code: settings and tasks"},

	{".opencode/**", "OpenCode: plugins, agents, commands"},
	{".config/opencode/**", "OpenCode: settings of the user"},
	{"opencode.json", "OpenCode: settings and MCP servers"},
	{"opencode.jsonc", "OpenCode: settings and MCP servers"},

	{".windsurf/**", "Windsurf: rules, hooks, workflows"},
	{".windsurfrules", "Windsurf: instructions"},
	{".codeium/**", "Windsurf: settings, hooks, MCP servers of the user"},

	{".cline/**", "Cline: settings, hooks, MCP servers"},
	{".clinerules/**", "Cline: instructions, hooks"},
	{"Cline/Hooks/**", "Cline: hooks of the user"},
	{"Cline/Rules/**", "Cline: instructions of the user"},
	{"cline_mcp_settings.json", "Cline: MCP servers"},

	{".git/**", "git: hooks, configuration and all else that git trusts"},
	{".githooks/**", "git: hooks"},
	{".husky/**", "git: hooks"},
	{".gitconfig", "git: configuration of the user"},
	{".config/git/**", "git: configuration of the user"},
	{".gitmodules", "git: configuration of submodules"},
	{".gitattributes", "git: programs that filter and merge files"},

	{".profile", "shell: start file"},
	{".bashrc", "shell: start file"},
	{".bash_profile", "shell: start file"},
	{".bash_login", "shell: start file"},
	{".bash_logout", "shell: start file"},
	{".zshenv", "shell: start file"},
	{".zprofile", "shell: start file"},
	{".zshrc", "shell: start file"},
	{".zlogin", "shell: start file"},
	{".zlogout", "shell: start file"},
	{".kshrc", "shell: start file"},
	{".cshrc", "shell: start file"},
	{".tcshrc", "shell: start file"},
	{".login", "shell: start file"},
	{".config/fish/**", "shell: start files"},
	{"*profile.ps1", "shell: start file of PowerShell"},
	{".envrc", "shell: settings of a directory"},
}

// GuardedPatterns returns the guarded files, for documentation.
func GuardedPatterns() []Guarded { return append([]Guarded(nil), guarded...) }

// guards holds the names of the guarded patterns, folded, by the first of them
// where it has no wildcard, else under "*". The wildcard of a tree is taken off.
var guards = func() map[string][][]string {
	all := map[string][][]string{}
	for _, g := range guarded {
		names := strings.Split(looseName(strings.TrimSuffix(g.Pattern, "/**")), "/")
		first := names[0]
		if strings.Contains(first, "*") {
			first = "*"
		}
		all[first] = append(all[first], names)
	}
	return all
}()

// isGuarded reports whether writing the file with these names, from the root
// down, changes a guarded one: it is one, lies below one that is a folder, or has
// the name of a folder on the way to one (.github for .github/hooks), which could
// be moved into place with all that it holds.
func isGuarded(names []string) bool {
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = looseName(n)
	}
	for i, first := range folded {
		for _, list := range [][][]string{guards[first], guards["*"]} {
			for _, g := range list {
				n := min(len(g), len(folded)-i)
				if matchAll(g[:n], folded[i:i+n]) {
					return true
				}
			}
		}
	}
	return false
}
