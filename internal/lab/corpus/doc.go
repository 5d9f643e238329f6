// Package corpus runs corpora of cases on the doors of package doors: our own
// case files (package cases), and the bypass corpus (corpora/bypass).
//
// A row of the bypass corpus describes an environment in neutral words, an
// input, and what should come of it. A mechanical function of the environment
// turns it into a contract, its catalogs and the steps of a case. It is given
// the row's input and nothing else, so it cannot know what the row is called,
// where it comes from or what is expected; that is put beside the case
// afterwards. The one exception is the surface policy: its rows quote rules in
// the languages of others, and a table by id says the same in ours.
//
// A member that the function does not know refuses the whole corpus: a row that
// is skipped looks like one that passed. What a row needs and this version does
// not have is named ([Waits]); what a door cannot do is said by the door.
package corpus
