// Package application holds the rules about external applications and their rights.
//
// Rules
//  1. An application is registered once, for all practices, with one JWKS URL
//     (§5.6). The service generates its identifier.
//  2. Each endpoint is granted separately for each mode.
//  3. A callback is registered before staff are redirected to it, and must have a
//     form that cannot trick a browser (D25).
//  4. Patient-scoped authorisations exist only for applications that are marked as
//     an integration of that kind (§5.5).
//  5. A decision that would change nothing returns no events.
//  6. Webhooks of each event kind go to one https address, or to none (§6.3).
//  7. Once a minute, an application may have its key set fetched again and, at each
//     practice that has enabled it, request a test webhook (D94).
package application
