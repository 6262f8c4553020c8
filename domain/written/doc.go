// Package written reads identifiers and instants as callers write them, in a body, a
// query, a form or at the command line. What is taken for one is the same everywhere.
package written
