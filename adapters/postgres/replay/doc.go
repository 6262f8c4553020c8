// Package replay builds read models from the log a second time, beside those
// that serve: to compare and mend these, and to ask what they held at an
// instant of the past.
//
//	Shadow    the tables of some projections, in a schema of their own
//	Rebuild   Shadow up to now ── compared with the live tables, in a snapshot
//	          ── what differs put right, in one transaction ── compared again
//	Past      Shadow up to an instant or an idx ── asked by the program's own queries
//
// The SQL of projections names no schema, so a search path is all it takes. A
// shadow moves on in short transactions of a thousand events, each of which
// remembers how far it has come. It can be stopped at any time, and the next
// run goes on from there.
package replay
