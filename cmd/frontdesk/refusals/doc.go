// Package refusals is the one table of what a caller of the Transactional API may be
// refused with: every code, every sentence, and what to do about each.
//
// A sentence has its home beside its rule, in the package that refuses; the table only
// refers to it:
//
//	access.Refusals ─┐
//	bearer.Refusals ─┤                  ┌─→ openapi.json: what each code means
//	httpapi.Refusals ┼─→ Codes (table) ─┼─→ docs/errors/: a page for each code
//	faults of domain ┘                  └─→ Find: token explain, frontdesk integrator
//
// Tests hold the ends together: no sentence in the source is missing here, none here
// is produced by no test, and what is made of the table is current.
package refusals
