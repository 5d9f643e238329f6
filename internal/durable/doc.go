// Package durable makes directories and files that are still there, whole, after a
// power failure.
//
// A file that was synced can vanish all the same when the name of a directory
// above it was not: on POSIX systems a name is safe once the directory that
// holds it is synced too (fsync(2), NOTES).
//
// Beside them stands what keeps two processes from writing one file.
package durable
