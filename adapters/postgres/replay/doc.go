// Package replay builds read models from the log a second time, next to the live ones:
// to compare and repair the live ones, and to query their state at an instant of the
// past.
//
//	Shadow    the tables of some projections, in a schema of their own
//	Rebuild   Shadow up to now ── compared with the live tables, in a snapshot
//	          ── differences repaired, in one transaction ── compared again
//	Past      Shadow up to an instant or an idx ── read by the program's own queries
//
// The SQL of projections names no schema, so the search path selects the tables. A
// shadow advances in short transactions of a thousand events, each of which stores its
// position. A rebuild can be stopped at any time: the next run continues from there.
// Only one at a time works on a database.
//
// It decrypts only the personal data for the tables of staff and of answers. Without a
// master key it leaves these two out.
package replay
