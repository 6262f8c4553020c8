// Package refusals is the one table of all refusals of the Transactional API: every code,
// every sentence, and the fix for each.
//
// A sentence is defined next to its rule, in the package that refuses; the table only refers
// to it:
//
//	access.Refusals ─┐
//	bearer.Refusals ─┤                  ┌─→ openapi.json: what each code means
//	httpapi.Refusals ┼─→ Codes (table) ─┼─→ docs/errors/: a page for each code
//	faults of domain ┘                  └─→ Find: token explain, frontdesk integrator
//
// Tests keep both ends in step. Every sentence in the source is here, a test produces each of
// them, and the files made of the table are current.
package refusals
