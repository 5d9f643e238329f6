// Package review lets one reviewer review a data set of contrast pairs, in a
// terminal or in a browser.
//
// A [Desk] hands out what is to be done, in this order: rows to label, which are
// shown without label, role, mode and siblings and in an order of the reviewer's
// own; conflicts to rule on, of rows that somebody else labelled; pairs to confirm,
// once all of their labels stand. Each answer is on disk, in the reviewer's journal,
// before the desk says so. What follows from all journals together is the business
// of package item.
//
// [Desk.Ask] is the terminal. [Desk.Serve] is the browser: forms without scripts on
// a loopback address, behind a secret path.
package review
