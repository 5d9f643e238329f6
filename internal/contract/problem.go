package contract

import "github.com/licet-dev/licet/internal/yamlwalk"

// Problem is one reason why a contract is refused.
type Problem = yamlwalk.Problem

// Problems are all reasons why a contract is refused, in the order of the text.
type Problems = yamlwalk.Problems
