// Package clikit is what our programs share on the command line: how a run
// begins and ends, exit statuses, and text that is safe to print.
package clikit
