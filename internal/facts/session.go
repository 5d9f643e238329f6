package facts

import "github.com/licet-dev/licet/internal/toolcall"

// Session is what is known of the session that a call belongs to. The zero
// value knows nothing, so nothing was stated in it.
//
// Who may supply it is section 2 of the design: turns come from the host,
// results from the door that relayed them, never from the agent.
type Session struct {
	ID      string
	Turns   []string                  // what the user wrote, one text per turn
	Results []Result                  // of granted calls that did not fail
	Claims  map[string]toolcall.Value // about the verified user, by name
}

// known reports whether there is a session at all. Turns alone make one: they
// serve the single decision they were given with.
func (s Session) known() bool { return s.ID != "" || len(s.Turns) > 0 }

// Result is what one tool returned.
type Result struct {
	Server, Tool string
	Leaves       []Leaf
}

// Leaf is one scalar of a result, or one free text, as keyed hashes: nothing in
// it can be turned back into text.
type Leaf struct {
	Path    Hash   // where it stands; 0 is no place: free text, or the name of a member
	Whole   Hash   // the value as a whole, for comparison at a path
	Tokens  []Hash // its tokens, in their order; none for a number
	Numbers []Hash // the numbers among them by value, sorted, each once
}

// Hash is 8 bytes of HMAC-SHA-256. That is enough because nobody without the
// key can search for a collision: a value that was never stated passes for one
// that was with a chance of n/2^64, where n is the number of hashes kept of the
// session, and each try is a recorded call. The birthday bound of 2^32 is about
// two stored values, which nothing here compares.
type Hash uint64
