// Package doctest runs the documentation: every command that README.md and
// the pages below docs/, contracts/ and examples/ show is executed, and its
// output is compared with what the page says.
//
// A command stands in a block fenced as console, after "$ ":
//
//	```console
//	$ licet contract check licet.yaml   # exit 3
//	licet.yaml:4:7: …
//	...
//	```
//
// The lines after it are the expected output, standard error included, as on
// a terminal. "..." alone matches any lines, "…" inside a line any text. A
// comment "# exit N" at the end of the command states an exit status other
// than 0. A command that ends in a backslash goes on in the next line, and
// one with a here-document up to its end; "> " before such lines is dropped.
//
// The commands of a page share one shell state (folder and exported
// variables) and run from top to bottom in a folder of their own, which holds
// copies of contracts/, corpora/, examples/ and docs/. HOME and the XDG folders are
// inside it. A block fenced as "console peers" needs the npm peers. One fenced as
// "console postgres" needs PostgreSQL: DATABASE_URL is that of a server of the page's
// own.
//
// Blocks that cannot be executed are listed with the reason in skipped; a
// line there that matches nothing fails, and so does a sh block that is not
// listed.
package doctest
