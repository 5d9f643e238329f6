package llm

import (
	"fmt"
	"strings"
)

// Talk makes a [Question] the next turn of a conversation in which the model may call
// tools: its User text begins it, and the turns so far follow. [OpenAI] and
// [Anthropic] are spoken so.
//
// What the model does with its turn is the caller's to judge, so that an answer may be
// text, calls, both or nothing, and one that was refused, or cut at a limit of length,
// is an answer too: Refused and Finish say so.
type Talk struct {
	Tools []Tool // none: the model can only write
	Turns []Turn
	TopP  *float64 // nil: the provider's own
	Seed  *int     // of the sampler; nil: none is sent. Anthropic's API has none
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      []byte // JSON Schema of the object that the tool takes
}

// Turn is what the model said in a turn, and what it was told then.
type Turn struct {
	Text    string
	Calls   []Call
	Results []string // one for each call
	User    string   // said after them; "" nothing
}

// Call is a call of a tool. The arguments are one JSON object in a Turn, and whatever
// the model wrote in an Answer.
type Call struct {
	Name      string
	Arguments string
}

// id names a call in a conversation. Some servers want exactly nine letters and digits.
func (c Call) id(turn, index int) string { return fmt.Sprintf("c%04d%04d", turn%10000, index%10000) }

// texts are all texts of a question that come from the caller.
func (q Question) texts() []string {
	list := []string{q.System, q.User}
	if q.Talk == nil {
		return list
	}
	for _, t := range q.Talk.Tools {
		list = append(list, t.Name, t.Description, string(t.Schema))
	}
	for _, t := range q.Talk.Turns {
		list = append(append(list, t.Text, t.User), t.Results...)
		for _, c := range t.Calls {
			list = append(list, c.Name, c.Arguments)
		}
	}
	return list
}

// check refuses what no server takes, and what this dialect has no words for.
func (t *Talk) check(p Provider) *Failure {
	if p != OpenAI && p != Anthropic {
		return failf(Request, "no conversations with tools are held over this API")
	}
	if t.Seed != nil && p == Anthropic {
		return failf(Request, "this API takes no seed")
	}
	for i, turn := range t.Turns {
		if len(turn.Calls) != len(turn.Results) || len(turn.Results) == 0 && turn.User == "" {
			return failf(Internal, "turn %d has %d calls and %d results, or nothing was said after it", i+1, len(turn.Calls), len(turn.Results))
		}
		for _, c := range turn.Calls {
			if f := oneObject(c.Arguments); f != nil {
				return failf(Internal, "turn %d has a call without an object of arguments", i+1)
			}
		}
	}
	return nil
}

// silence stands for a turn in which the model said nothing: servers refuse an empty
// message.
const silence = "(nothing)"

// said is the text of a turn as it is repeated to the model, "" beside calls alone.
func (t Turn) said() string {
	switch {
	case strings.TrimSpace(t.Text) != "":
		return t.Text
	case len(t.Calls) > 0:
		return ""
	}
	return silence
}
