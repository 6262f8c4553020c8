// Package applications reads what a practice and an application can know of each other.
//
// Practices see the [Directory] of applications, the authorisations of their staff, and an
// application's [Health]. Staff see an [Approval] before they authorise one. An application
// sees its own state, calls and deliveries.
//
// The package keeps no table. It reads those of package projections, the access record and
// the deliveries themselves.
package applications
