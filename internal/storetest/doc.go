// Package storetest is the contract of ledger.Store as a test that every store
// runs, and a wrapper that makes a store fail for the tests of its users.
package storetest
