package sqlcheck

import (
	"errors"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth bounds what depthBound returns. Nested subqueries are what takes most
// of the parser's stack for each token: it ends at 380.
const maxDepth = 160

// errScan says that the scanner's answer is not as documented.
var errScan = errors.New("the scanner of PostgreSQL gave an answer that cannot be read")

// depthBound returns how deep the parse tree of text may be, at most, given its
// tokens as pg_query.proto has them (message ScanResult). Every token but names,
// constants and separators may add a level. A comma ends what stands before it at
// the same bracket, except that set operations nest across the select lists
// between them.
func depthBound(text string, result []byte) (int, error) {
	var b bound
	err := eachField(result, func(field protowire.Number, _ uint64, message []byte) error {
		if field != 2 { // ScanResult.tokens
			return nil
		}
		var start, end, keyword uint64
		err := eachField(message, func(field protowire.Number, n uint64, _ []byte) error {
			switch field {
			case 1: // ScanToken.start
				start = n
			case 2: // ScanToken.end
				end = n
			case 5: // ScanToken.keyword_kind, 0 for none
				keyword = n
			}
			return nil
		})
		if err != nil || start >= end || end > uint64(len(text)) {
			return errScan
		}
		b.token(text[start:end], keyword != 0)
		return nil
	})
	return b.most, err
}

// eachField calls f with every field of a message: its number, and its value as
// a varint or as bytes.
func eachField(message []byte, f func(field protowire.Number, n uint64, b []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errScan
		}
		message = message[n:]
		var number uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
		default:
			return errScan
		}
		if n < 0 {
			return errScan
		}
		message = message[n:]
		if err := f(field, number, b); err != nil {
			return err
		}
	}
	return nil
}

// bound adds up levels, token by token.
type bound struct {
	outside int   // levels at the brackets around the innermost
	levels  level // at the innermost bracket
	stack   []level
	most    int
}

// level counts, within one pair of brackets, the tokens since the last comma and
// the set operations since the last semicolon.
type level struct{ chain, sets int }

func (b *bound) token(t string, keyword bool) {
	switch {
	case t == "(" || t == "[":
		b.levels.chain++
		b.outside += b.levels.chain + b.levels.sets
		b.stack = append(b.stack, b.levels)
		b.levels = level{}
	case t == ")" || t == "]":
		if last := len(b.stack) - 1; last >= 0 {
			b.levels = b.stack[last]
			b.stack = b.stack[:last]
			b.outside -= b.levels.chain + b.levels.sets
		}
	case t == ",":
		b.levels.chain = 0
	case t == ";":
		b.levels = level{}
	case strings.EqualFold(t, "union") || strings.EqualFold(t, "intersect") || strings.EqualFold(t, "except"):
		b.levels.sets += 2
	case keyword && !flatWords[strings.ToLower(t)] || !keyword && operator(t):
		b.levels.chain++
	}
	b.most = max(b.most, b.outside+b.levels.chain+b.levels.sets)
}

// flatWords are keywords that add no level by themselves: clauses stand side by
// side, and of chains of AND and OR PostgreSQL makes flat lists.
var flatWords = map[string]bool{
	"and": true, "or": true, "as": true, "from": true, "where": true, "on": true, "set": true, "values": true,
	"group": true, "order": true, "by": true, "having": true, "limit": true, "offset": true, "asc": true, "desc": true,
	"null": true, "true": true, "false": true, "default": true, "into": true,
}

// operator reports whether a token that is no keyword is an operator: no name,
// constant, parameter, comment or dot.
func operator(t string) bool {
	switch first := t[0] | 0x20; {
	case t[0] >= 0x80, strings.IndexByte("_\"'$.", t[0]) >= 0, '0' <= t[0] && t[0] <= '9', 'a' <= first && first <= 'z':
		return false
	}
	return !strings.HasPrefix(t, "--") && !strings.HasPrefix(t, "/*")
}
