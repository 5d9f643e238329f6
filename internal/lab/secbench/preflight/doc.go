// Package preflight tries to get out of the sandbox of the security bench, and
// passes only where nothing comes of it.
//
// Each check has a code, PF01 to PF24, and something that must not work: from a
// command in the sandbox, and where the bench's own tools reach files, through these
// too. This program is started in the sandbox as a probe, tries it, and says what
// worked. A probe that says nothing has not held: what was not seen to fail may have
// worked.
//
// The checks are those of section 10.3 of the bench's specification.
package preflight
