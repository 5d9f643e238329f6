// Package modeljudge is the judge of a run that is a language model: one prompt for
// all models, in one of two forms.
//
// In the raw form a model is shown the policy, the requests, the steps before with
// their results, the action and, where an item has them, observations; it answers
// with a decision and why, and its decision is the result. Only this form compares
// with figures of others. In the checked form it is asked as the gate asks, and the
// gate's checks hold what it says: a row then has the decision before and after them
// (authgate-bench.md, section 5.1; judge.md, sections 3 to 5).
//
// [New] asks a model's server. What kept an answer from coming is no result
// ([run.Open], [run.Spent]); what a model made of a question is one, an answer that
// is no verdict too. [NewOffline] takes the same questions to [Files]: a folder with
// files of requests that somebody else has answered.
package modeljudge
