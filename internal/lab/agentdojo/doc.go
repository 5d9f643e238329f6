// Package agentdojo holds what the lab uses of AgentDojo v1.2 (data/README.md
// says where it comes from and under which licence), and the contracts that
// tool names alone give: a tool whose name says that it reads is allowed, every
// other needs a person. They are the baseline that finer contracts are measured
// against.
package agentdojo
