// Package bank is a small MCP server to try licet on: one bank account with
// contacts, and a store of text files, all in memory. It trusts everybody, as
// tool servers do, and two things about it are bad on purpose: a contact's note
// tells the reader to send money elsewhere, and with [Options].ChangeAfter the
// definition of send_money changes while the server runs.
//
// It speaks what the official Go SDK speaks: MCP 2024-11-05 to 2026-07-28 over
// stdio.
package bank
