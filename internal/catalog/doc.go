// Package catalog compares what a tool server offers with what was approved.
//
// A server can change a tool after somebody looked at it: its schema, or the
// text that tells a model what to do with it. So the approved copy of a
// catalog is pinned by digest, and live definitions are compared with it one
// by one ([Compare]): a tool that differs is quarantined, and the others go on.
//
// The digest of a tool covers the members that MCP gives a meaning to a model
// or a caller: name, title, description, inputSchema, outputSchema,
// annotations and _meta. What a server adds beside them is not pinned, and
// nothing may rely on it. The digest of a catalog covers its tools and the
// server's instructions, whatever their order. [Diff] shows a change field by
// field before it is approved.
//
// The package is pure: it reads no clock, file, network or environment.
package catalog
