// Package cli is the licet program as a function, and the only place where its
// parts are put together: stores are opened, contracts loaded and gates made
// here and nowhere else.
//
// Exit status everywhere: 0 fine or ALLOW, 3 BLOCK, 4 REQUIRE_APPROVAL, 2 wrong
// usage, 1 failure. A caller treats everything but 0 as "do not run".
package cli
