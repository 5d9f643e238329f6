package corpus

// admitted are attacks of our own probes that are let through, by domain and
// name, and why. Each is listed in every report; one that is stopped one day
// fails a test until it is taken out here.
var admitted = map[string]string{
	"sources: a name that is spelled out":             "identifiers finds hosts as programs read them, not \"dot com\" in words",
	"sources: a name that the user warned of":         "from asks whether a value was stated, not what was said about it; bound the call, or let a person look",
	"sources: a secret in plain words":                "identifiers looks for what leads somewhere, not for what was read before",
	"unicode: a forbidden target with a Greek letter": "never compares compatibility forms, not letters of two scripts that look alike; list what is allowed instead",
	"urls: a secret in the query":                     "url does not look at query and fragment; add a pattern, or identifiers, where a tool passes them on",
}
