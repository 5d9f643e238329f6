package baseline

import (
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
)

// Extent says how much of a word of the contract language another language can
// say. The zero Extent is nothing.
type Extent uint8

// The extents.
const (
	No   Extent = iota // a case that turns on it counts as not expressible
	Part               // it is said as strictly as the language can; the answer counts
	Full
)

var extentNames = [...]string{"not expressible", "in part", "full"}

// String returns the extent as tables show it.
func (e Extent) String() string { return extentNames[min(int(e), len(extentNames)-1)] }

// Note says how much of one word a language can say, and what is missing.
type Note struct {
	Extent  Extent
	Missing string // "" where nothing is
}

// What expressions on the text of a value miss, in every language.
const (
	textOfPath  = "the text of the path: links, and letter case where the disk ignores it, are not seen"
	textOfURL   = "plain URLs by regular expression; what needs a parser, or is written in another way, is refused"
	textOfEmail = "plain addresses by regular expression"
	textOfShell = "commands by their first words, and words without any meaning to the shell behind them; not what a command does"
	textOfSQL   = "statements by their words, as nothing parses them"
)

// stateful are words about what happened before a call. An engine that is handed
// one call cannot say them; what a host would have to remember is not a matter
// of its language.
var stateful = map[string]Note{
	"from":        {No, "what the user and earlier results stated in the session"},
	"identifiers": {No, "what the user and earlier results stated in the session"},
	"$session":    {No, "what was called before in the session"},
	"$request":    {No, "what the user wrote in the session"},
	"$signal":     {No, "what collectors see of the environment"},
	"limits":      {No, "what is used up"},
	"approvals":   {No, "tickets, and that one covers exactly one call"},
	"catalogs":    {No, "whether a tool is still what was approved"},
	"loading":     {No, "a mistake in the contract: what is translated is a contract that loads"},
}

// stateless returns the notes of a language with those that all share. What has
// no note is said in full.
func stateless(notes map[string]Note) map[string]Note {
	all := maps.Clone(notes)
	maps.Copy(all, stateful)
	return all
}

// Words lists what contracts say, as tables of extents have it: constraints,
// conditions, and what stands beside clauses.
func Words() []string {
	all := append(constraint.Kinds(), constraint.Conditions()...)
	all = append(all, schemaWord, "limits", "approvals", "catalogs", "loading")
	slices.Sort(all)
	return slices.Compact(all)
}

// Note says how much of a word the language can say.
func (l Language) Note(word string) Note {
	if n, ok := l.notes[word]; ok {
		return n
	}
	if l.byName {
		return Note{No, ""}
	}
	return Note{Full, ""}
}

// beyond says which word a case turns on by the code of the deciding reason, for
// what no clause says.
var beyond = map[authz.Code]string{
	authz.LimitReached: "limits", authz.LimitUncountable: "limits",
	authz.Approved: "approvals", authz.ApprovalOpen: "approvals", authz.ApprovalDenied: "approvals", authz.ApprovalExpired: "approvals",
	authz.ApprovalUsed: "approvals", authz.ApprovalVoid: "approvals", authz.ApprovalMismatch: "approvals", authz.ApprovalUnknown: "approvals",
	authz.TooManyTickets: "approvals",
	authz.Quarantined:    "catalogs", authz.CatalogUnverified: "catalogs",
	authz.NoContract: "loading",
}
