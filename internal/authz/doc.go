// Package authz holds the words that every other package of licet uses for an
// authorization decision: verdicts, reasons, the principal who asks and the
// decision itself. It imports nothing of ours and decides nothing.
//
// The words follow AuthZEN and XACML (principal, action, resource, context);
// the verdict names ALLOW, BLOCK and REQUIRE_APPROVAL are those of the field.
// The zero value of every type here is the strict one.
package authz
