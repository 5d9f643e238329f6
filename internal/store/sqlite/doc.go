// Package sqlite is the ledger.Store of one machine: a SQLite database in a
// state directory that any number of licet processes share.
//
// # What a commit goes through
//
// Callers queue their entries. One committer in each process takes what is
// queued, up to Options.Group, and runs it as one transaction: BEGIN IMMEDIATE
// (the store's append lock, also between processes), the head of the log read
// there, every entry settled by ledger.Settle against what the entries before
// it wrote, COMMIT, and only then the answers. SQLite syncs its write-ahead log
// before COMMIT returns (synchronous=FULL), so what was answered survives a
// crash and a power failure, and many callers share the cost of one sync. Before
// the answers the committer also makes sure that the files it wrote are still
// the ones in the directory.
//
// An entry that fails fails in Settle, before anything of it is written, so its
// neighbours go on. A statement that fails is a failure of the database: the
// whole group is rolled back and every entry of it fails.
//
// # Files
//
// The directory and the database are refused when anybody but their owner can
// read or write them. Erased copies of held calls are overwritten in the
// database (secure_delete); until SQLite starts its write-ahead log over, an
// old page with such a copy, which is sealed, can stay there.
package sqlite
