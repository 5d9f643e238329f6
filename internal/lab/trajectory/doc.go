// Package trajectory reads what agents did from the formats in which others
// record it, and turns each record into one form: user turns and tool calls, in
// order, with their results.
//
//	for t, err := range trajectory.Read("runs.jsonl.gz", file, trajectory.Options{}) {
//		// err is a *Problem of one record, and reading goes on, or a failure of the file
//	}
//
// A file is read as lines, one record each, if its name ends in .jsonl or .ndjson
// (perhaps with .gz behind it), else as one document. The format is recognised by
// the members of the record, or named in [Options].
//
// Nothing is executed, resolved or looked up. The record is kept as it stood, with
// its digest. What a reader passes over (messages of the system, reasoning, kinds
// of records that it does not know) is counted by kind. Arguments that are no JSON
// object stay as they were written, with the reason. A record that cannot be read
// is a [Problem] with file, line and reason.
//
// A text counts as a user turn only where the record says that the user wrote it:
// prompts that an agent gives to another, summaries by a model and what a host
// adds do not. So a replay never takes the agent's words for the user's. A task of
// tau-bench has no conversation: there, what the user is told to say is the turn.
//
// What the agent says stands by itself, message by message and each with its calls:
// in message lists, runs of AgentDojo and tau-bench, Inspect's messages, transcripts,
// rollouts and ATIF. Its reasoning is left out, and so is all that it says in the
// other formats.
//
// The formats and where they are described: AgentDojo (Debenedetti et al., NeurIPS
// 2024) and AgentDyn (arXiv 2602.03117), tau-bench (sierra-research), ToolEmu (Ruan
// et al., 2023), Agent Security Bench, ASSEBench (arXiv 2506.00641), logs of
// Inspect (UK AISI), message lists of the OpenAI and Anthropic APIs, transcripts
// of Claude Code and rollouts of Codex (both internal to their programs and
// unstable), ATIF (Harbor), and OpenTelemetry's conventions for generative AI.
package trajectory
