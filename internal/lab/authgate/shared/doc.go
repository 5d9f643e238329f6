// Package shared lets several processes, on one machine or many, answer the
// questions of one run together, over PostgreSQL.
//
// A schema of the database holds one run: what it is made of, its questions as
// jobs of River (github.com/riverqueue/river), its answers, and its budgets. The
// first process that comes lays all of this down in one transaction; whoever comes
// with another plan is refused. Life of a question:
//
//   - A process takes its job. If an answer is there, the job is done.
//   - The question is counted in the schema, unless a budget of the run is spent.
//   - The judge is asked, which takes [Longest] at most. Without an answer the job is
//     given back, for another process.
//   - The answer and the end of the job are one transaction. The first answer to a
//     question stays; a second one is dropped.
//
// So an answer that is recorded is never asked for again, and no question is lost:
// one whose process was killed is given to another process once it has taken longer
// than a question may, and about a minute later. A process that waits so long
// because its machine slept makes a question be asked twice, but not answered twice.
//
// When all questions are answered, each process copies the answers into its own
// journal, so that its folder is that of a run on one machine.
package shared
