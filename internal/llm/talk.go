package llm

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Talk makes a [Question] the next turn of a conversation in which the model may call
// tools: its User text begins it, and the turns so far follow. [OpenAI] and
// [Anthropic] are spoken so.
//
// What the model does with its turn is the caller's to judge, so that an answer may be
// text, calls, both or nothing, and one that was refused, or cut at a limit of length,
// is an answer too: Refused and Finish say so, with whatever word the server has. So
// is one with what is no Unicode text, for which U+FFFD stands then, and a call whose
// arguments are no object, or have a name twice.
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
// the model wrote in an Answer; where that is no Unicode text, a JSON string with it.
type Call struct {
	Name      string
	Arguments string
}

// id names a call in a conversation. Some servers want exactly nine letters and digits.
func (c Call) id(turn, index int) string { return fmt.Sprintf("c%04d%04d", turn%10000, index%10000) }

// asSaid has an answer in a conversation read as it was said: see [Talk].
var asSaid = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// written returns the arguments of a call as they are written. Those that are no text
// become a JSON string, so that nothing which was put in their place makes them an
// object that nobody wrote.
func written(v jsontext.Value) string {
	if utf8.Valid(v) {
		return string(v)
	}
	quoted, _ := jsontext.AppendQuote(nil, []byte(v)) // the error says that U+FFFD was put in
	return string(quoted)
}

// outgrown finds what servers say beside tooLong when a conversation has become longer
// than the model's window: Ollama, llama.cpp, LM Studio, SGLang, TGI.
var outgrown = regexp.MustCompile(`(?i)exceeds? the context (length|size)|context size has been exceeded|context (the )?overflows|` +
	`(longer|greater) than the (model's )?context length|inputs.{1,40}must (be <=|have less than)`)

// outgrew says whether a failure with another status than 200 is that, whatever the
// status: llama.cpp has 500 for it, TGI 422.
func (f *Failure) outgrew(reply []byte) bool {
	if f.Code != Request && f.Code != Server {
		return false
	}
	e, _ := readError(reply)
	var alone struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(reply, &alone) == nil && alone.Error != "" {
		e.Message = alone.Error
	}
	return e.is(overflowNames...) || tooLong.MatchString(e.Message) || outgrown.MatchString(e.Message)
}

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
