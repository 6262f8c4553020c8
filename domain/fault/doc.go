// Package fault is what a caller may be told when something is refused.
//
// A rule that refuses returns an [*Error]: a kind, a code in the
// specification's kebab case (§7) and a sentence that says what to mend. The
// adapters turn kinds into HTTP statuses and exit codes in one place each;
// any other error is nobody's business but the operator's.
package fault
