// Package client calls frontdesk's Transactional API and receives its webhooks. It needs
// nothing but the standard library.
//
//   - [Client] has a method for each endpoint; [Client.AsUser] and [Client.WithAct] say for
//     whom it calls. It signs tokens, and sends a call again only where nothing can be made
//     twice by that. A [CallOption] changes one call.
//   - [Signer] holds the application's keys: it signs tokens and publishes the key set.
//   - [Attachment] is a file that is encoded while it is sent.
//   - [ServiceError] is what the service refuses, [UnreachableError] that it did not answer.
//   - [Receiver] takes webhooks, each once, and refuses those that the service has not sent.
//     [Verifier] only verifies.
//
// The module's path, frontdesk.example/client, is a placeholder: .example is a reserved domain
// (RFC 2606), which no host serves. A go.mod replaces it by the folder client/go.
//
// "§n" is a section of the Transactional API's specification.
package client
