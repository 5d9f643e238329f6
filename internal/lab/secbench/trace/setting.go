package trace

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
)

// Setting is a number that a server was given, 0 or more, or one of the words for why
// it was given none.
type Setting int

// The words.
const (
	Own         Setting = -1 // the server's own was taken
	Unsupported Setting = -2 // its API has no such setting
)

var settingWords = map[Setting]string{Own: "own", Unsupported: "unsupported"}

// String returns the number or the word.
func (s Setting) String() string {
	if word, ok := settingWords[s]; ok {
		return word
	}
	return strconv.Itoa(int(s))
}

// MarshalJSON writes the number, or the word as a text.
func (s Setting) MarshalJSON() ([]byte, error) {
	if word, ok := settingWords[s]; ok {
		return json.Marshal(word)
	}
	if s < 0 {
		return nil, fmt.Errorf("the setting %d is negative", int(s))
	}
	return []byte(s.String()), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (s *Setting) UnmarshalJSON(text []byte) error {
	for setting, word := range settingWords {
		if string(text) == `"`+word+`"` {
			*s = setting
			return nil
		}
	}
	var n int
	if err := json.Unmarshal(text, &n); err != nil || n < 0 || string(text) == "null" {
		return fmt.Errorf("%s is no setting", text)
	}
	*s = Setting(n)
	return nil
}
