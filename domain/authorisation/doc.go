// Package authorisation holds the rules by which a member of staff lets an application
// act for them.
//
// Rules
//  1. An authorisation is granted at an instant cut to whole seconds and ends a
//     lifetime later, exclusive (D13). Granting again grants a new lifetime.
//  2. A standing authorisation and those scoped to one patient are separate: none of
//     them uses up or shortens another.
//  3. An authorisation can be revoked before it ends. Setting another password
//     revokes the authorisations of the member of staff, unless the actor wants them
//     kept. A reactivated member has none of their former authorisations.
//
// Expiry is a comparison with the clock, not an event.
package authorisation
