// Package contracts holds the starter contracts that come with licet, a folder
// each: the contract, the approved copies of its catalogs, and what plays or
// tests it.
package contracts

import "embed"

// Files are the starter contracts.
//
//go:embed bank office project
var Files embed.FS
