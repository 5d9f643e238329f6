// Package stats holds the statistics of the lab's benchmarks, each once: intervals
// of shares, resampling, paired tests, clustering, agreement and repeated tries.
//
// Numbers are whole inside and exact where they can be: a share is a [Ratio], a p
// value a [big.Rat]. Whoever prints one rounds it, once. Chance comes from a
// [Source] that the caller seeds, so that the same numbers give the same bytes.
//
// Runs of one task depend on each other. What is drawn or flipped is therefore the
// task, a [Ratio] with the sum over its runs and their number, and never the run.
// [McNemar] alone takes runs as they come, to be compared with what others print.
//
// Definitions: E. B. Wilson 1927 (interval of a share); B. Efron 1979 (bootstrap);
// R. A. Fisher 1935 (test by flips of signs); Q. McNemar 1947, in its exact form; S.
// Holm 1979; J. Cohen 1960 (kappa); A. Donner 1986 (intraclass correlation by
// analysis of variance); L. Kish 1965 (effective size); M. Chen and others 2021
// (pass@k); S. Yao and others 2024 (pass^k).
package stats
