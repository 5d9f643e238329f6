package corpus

// taxonomies are the tags that our own cases may have: identifiers of public
// lists, with their titles there.
//
//   - ASI: OWASP Top 10 for Agentic Applications 2026 (genai.owasp.org)
//   - MCP: OWASP MCP Top 10, 2025 (owasp.org/www-project-mcp-top-10)
//   - AML: MITRE ATLAS, data of September 2026 (atlas.mitre.org), as far as a gate
//     for tool calls can meet a technique
var taxonomies = map[string]string{
	"ASI01": "Agent Goal Hijack",
	"ASI02": "Tool Misuse and Exploitation",
	"ASI03": "Identity and Privilege Abuse",
	"ASI04": "Agentic Supply Chain Vulnerabilities",
	"ASI05": "Unexpected Code Execution",
	"ASI06": "Memory & Context Poisoning",
	"ASI07": "Insecure Inter-Agent Communication",
	"ASI08": "Cascading Failures",
	"ASI09": "Human-Agent Trust Exploitation",
	"ASI10": "Rogue Agents",

	"MCP01": "Token Mismanagement & Secret Exposure",
	"MCP02": "Privilege Escalation via Scope Creep",
	"MCP03": "Tool Poisoning",
	"MCP04": "Software Supply Chain Attacks & Dependency Tampering",
	"MCP05": "Command Injection & Execution",
	"MCP06": "Intent Flow Subversion",
	"MCP07": "Insufficient Authentication & Authorization",
	"MCP08": "Lack of Audit and Telemetry",
	"MCP09": "Shadow MCP Servers",
	"MCP10": "Context Injection & Over-Sharing",

	"AML.T0010.005": "AI Supply Chain Compromise: AI Agent Tool",
	"AML.T0012":     "Valid Accounts",
	"AML.T0034.002": "Cost Harvesting: Agentic Resource Consumption",
	"AML.T0048.000": "External Harms: Financial Harm",
	"AML.T0050":     "Command and Scripting Interpreter",
	"AML.T0051.000": "LLM Prompt Injection: Direct",
	"AML.T0051.001": "LLM Prompt Injection: Indirect",
	"AML.T0053":     "AI Agent Tool Invocation",
	"AML.T0055":     "Unsecured Credentials",
	"AML.T0068":     "LLM Prompt Obfuscation",
	"AML.T0073":     "Impersonation",
	"AML.T0080":     "AI Agent Context Poisoning",
	"AML.T0081":     "Modify AI Agent Configuration",
	"AML.T0083":     "Credentials from AI Agent Configuration",
	"AML.T0085.001": "Data from AI Services: AI Agent Tools",
	"AML.T0086":     "Exfiltration via AI Agent Tool Invocation",
	"AML.T0098":     "AI Agent Tool Credential Harvesting",
	"AML.T0099":     "AI Agent Tool Data Poisoning",
	"AML.T0101":     "Data Destruction via AI Agent Tool Invocation",
	"AML.T0109":     "AI Supply Chain Rug Pull",
	"AML.T0110":     "AI Agent Tool Poisoning",
	"AML.T0123":     "Obfuscated Files or Information",
}
