// Package calibrate makes probabilities of what judges say of their own certainty,
// and measures how good they are.
//
// [Fit] learns a [Map] from points: what was stated, and whether allow was right.
// It is learned on the dev split, one for each policy, judge and source of the
// statements (token probabilities, share of votes, stated confidence), which are
// never mixed; a [File] holds several, with a digest. [Measure] gives Brier score,
// expected calibration error over ten bins of equal count, AUROC, and risk by
// coverage.
//
// Sources: isotonic regression by pooling adjacent violators (M. Ayer and others
// 1955); J. Platt 1999 with the corrections of H.-T. Lin, C.-J. Lin and R. C. Weng
// 2007; G. W. Brier 1950.
package calibrate
