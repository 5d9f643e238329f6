// Package contracts holds the starter contracts that come with licet, a folder
// each: the contract, the approved copies of its catalogs, and what plays or
// tests it.
package contracts

import "embed"

// Files are the starter contracts.
//
//go:embed bank office project
var Files embed.FS

// AgentDojo is the contract for the four suites of the AgentDojo benchmark, which
// the lab measures.
//
//go:embed agentdojo/licet.yaml agentdojo/catalogs
var AgentDojo embed.FS
