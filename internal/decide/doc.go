// Package decide is the policy decision point: Decide says what a contract
// makes of one call under given facts. It is pure, so the same contract, call
// and facts always give the same decision, byte for byte.
//
// Facts declares all that a decision reads beside the contract and the call.
// A fact that is missing is unknown, and unknown never permits.
package decide
