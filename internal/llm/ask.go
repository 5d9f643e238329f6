package llm

import "time"

// Question is what is put to the model: two texts, and the form of the answer.
type Question struct {
	System string // static; stands first, so that providers can cache it
	User   string
	Schema *Schema // nil: plain text
	Talk   *Talk   // the question is a turn of a conversation, without Schema, Stop and TopLogProbs; nil: it stands alone

	MaxTokens   int      // of output, above 0; doubled once if it is too small
	Temperature *float64 // nil: the provider's own. 0 makes no answer deterministic
	Stop        []string // texts that end the answer
	TopLogProbs int      // alternatives to report for each token; 0: none

	// What tells runs of one question apart, for tapes and scripted servers.
	// Nonce is the part of the prompt that differs between runs all the same.
	Nonce        string
	Epoch, Round int
}

// Schema is the JSON Schema of an object. For the strict mode of OpenAI it must
// list every property as required and forbid others.
type Schema struct {
	Name string // letters, digits, _ and -
	JSON []byte
}

// Answer is what a model said. Beside a [*Failure] it has no Text, but all else
// that is known: a refusal costs tokens too.
type Answer struct {
	Text        string      // for a schema exactly one JSON object
	Calls       []Call      // of tools, in a Talk
	Refused     bool        // in a Talk: the model or the provider's filter refused
	LogProbs    []TokenProb // nil if none were asked for or offered
	Finish      string      // why it ended, in the provider's word
	Model       string      // as reported
	Fingerprint string      // of the provider's system, "" if it gives none
	Scripted    bool        // from the lab's scripted server: says nothing about any model

	Tries int           // HTTP requests
	Took  time.Duration // of the last of them
	Usage Usage         // of all tries
	Cost  Cost
}

// TokenProb is one token of an answer with its natural log-probability, and
// those that could have stood in its place.
type TokenProb struct {
	Token   string
	LogProb float64
	Top     []TokenProb
}
