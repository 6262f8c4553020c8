// Package application is an external application and what it may do.
//
// Rules
//  1. An application is registered once, for all practices, with one JWKS URL
//     (§5.6). Its identifier is minted by the service.
//  2. Each endpoint is granted for each mode by itself (§5.6).
//  3. A callback is registered before staff are sent to it, and must be of a
//     form that no browser can be tricked with (D25).
//  4. Patient-scoped authorisations exist only for applications marked as such
//     an integration (§5.5).
//  5. Saying what holds already changes nothing.
//  6. Webhooks of each event kind go to one https address (§6.3), or nowhere.
package application
