// Package replay builds read models from the log a second time, beside the live
// ones. It does so to compare and mend the live ones, and to ask what they held at
// an instant of the past.
//
//	Shadow    the tables of some projections, in a schema of their own
//	Rebuild   Shadow up to now ── compared with the live tables, in a snapshot
//	          ── what differs put right, in one transaction ── compared again
//	Past      Shadow up to an instant or an idx ── asked by the program's own queries
//
// The SQL of projections names no schema, so a search path decides which tables it
// works on. A shadow moves on in short transactions of a thousand events, each of
// which notes how far the shadow has come. A rebuild can be stopped at any time: the
// next run goes on from there. One at a time works on a database.
//
// Of what is personal it opens only what the tables of staff and of answers are made of.
// Without a master key those two are not made.
package replay
