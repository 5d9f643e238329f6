// Package shared lets several processes, on one machine or many, do the jobs of one
// run together, over PostgreSQL.
//
// A schema of the database holds one run: what it is made of, its jobs as those of
// River (github.com/riverqueue/river), their results, and its budgets. The first
// process that comes lays all of this down in one transaction; whoever comes with
// another run is refused. Life of a job:
//
//   - A process takes it. If a result is there, the job is done.
//   - It is counted in the schema, unless a budget of the run is spent.
//   - It is done, which takes [Database.Longest] at most. Without a result it is given
//     back, for another process.
//   - The result and the end of the job are one transaction. The first result of a job
//     stays; a second one is dropped.
//
// So a job that has a result is never done again, and none is lost: one whose process
// was killed is given to another process once it has taken longer than it may, and
// about a minute later. A process that waits so long because its machine slept makes a
// job be done twice, but not counted twice.
//
// Each process collects the results, so that what it has at the end is what one
// machine alone would have.
package shared
