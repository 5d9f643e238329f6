// Package models reads the operator's file of models: who stands behind the names
// that contracts give their judge, and what asking them may cost.
//
// The file belongs to the operator, not to a workspace, and holds no secret: it
// says where a key is found. A contract can be checked without it.
package models
