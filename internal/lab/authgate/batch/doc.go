// Package batch is the format of the files by which a model is asked where no API
// can be reached: a file of requests goes out, and files of answers come back
// (authgate-bench.md, section 4.7; the lines are those of OpenAI's Batch API).
//
// A run makes a [Call] of each question that is due. [Requests] writes them into
// files, the same bytes for the same calls in any order. [Read] reads a file of
// answers, strictly, and [Import] holds answers against the calls: they are joined
// by custom_id alone, and come in any order, in any number of files.
//
//	answers, err := batch.Read("out.jsonl", file)
//	in, err := batch.Import(due, known, answers, nil)
//	// keep in.New with in.New[i].Line(), ask in.Waiting again, show in.Unknown
//
// What a call is about, what an answer is worth and where either is kept is the
// matter of the run. The package touches no file and no clock.
package batch
