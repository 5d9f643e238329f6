// Package probe asks a stdio MCP server what it offers.
//
// [Catalog] starts the server, speaks the protocol era that it understands,
// lists all its tools and ends it. Nothing is called: what the server offers is
// shown to a person, who approves it or not.
//
// The server is not trusted. Its messages are read strictly by package
// toolcall, and their number, size and time are bounded. It is offered no
// capability, so all it may ask of us is a ping; other requests are refused.
//
// The wire is the stdio transport of MCP 2024-11-05 to 2026-07-28.
package probe
