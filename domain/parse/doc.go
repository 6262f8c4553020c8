// Package parse parses identifiers and instants from callers, in a body, a query, a
// form or at the command line. The same forms are valid everywhere.
package parse
