// Package client calls frontdesk's Transactional API and receives its webhooks. It only needs the
// standard library.
//
//   - [Client] has a method for each endpoint; [Client.AsUser] and [Client.WithAct] set the
//     caller. It signs tokens, and retries a call only if that cannot make a change twice. A
//     [CallOption] changes one call.
//   - [Signer] holds the application's keys: it signs tokens and publishes the key set.
//   - [Attachment] is a file that is encoded while it is sent.
//   - [ServiceError] is a refusal of the service, [UnreachableError] the lack of an answer.
//   - [Receiver] accepts webhooks, each once, and refuses those that the service has not sent.
//     [Verifier] only verifies.
//   - [LogVerifier] verifies checkpoints of the practice's log, which [Client.KeepCheckpoint] keeps.
//
// The module's path, frontdesk.example/client, is a placeholder: .example is a reserved domain (RFC
// 2606), without a host. Replace it in your go.mod by the folder client/go.
//
// "§n" is a section of the Transactional API's specification.
package client
