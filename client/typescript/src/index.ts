/**
 * Calls frontdesk's Transactional API and receives its webhooks. It only needs Node.js.
 *
 * - `Client` has a method for each endpoint; `asUser` and `withAct` set the caller.
 * - `Signer` holds the application's keys: it signs tokens and publishes the key set.
 * - `Attachment` is a file that is encoded while it is sent.
 * - `ServiceError` is a refusal of the service, `UnreachableError` the lack of an answer.
 * - `Receiver` accepts webhooks, each once, and refuses those that the service has not sent.
 * - `AuthorisePage` builds the link by which a member of staff authorises the application, and reads the return.
 * - `LogVerifier` verifies checkpoints of the practice's log, which `keepCheckpoint` keeps.
 *
 * "§n" is a section of the Transactional API's specification.
 */
export { newAgent, type ProxyAgentOptions } from "./agent.js";
export { attachBytes, attachFile, type Attachment, type FileType } from "./attachment.js";
export { AuthorisePage, newState, ReturnError, type Authorised, type AuthorisePageOptions, type ReturnReason } from "./authorise.js";
export { type Answer, type CallOptions } from "./call.js";
export { checkpointFile, type CheckpointQuery, type CheckpointStore, type SignedCheckpoint } from "./checkpoint.js";
export * from "./client.js";
export { errorCodes, type ErrorCode } from "./codes.js";
export { ServiceError, UnreachableError, type Problem } from "./errors.js";
export { CheckpointError, LogVerifier, type Checkpoint, type CheckpointReason } from "./log.js";
export { Receiver, type ReceiverOptions } from "./receiver.js";
export { Signer, type Key, type RemoteKey } from "./signer.js";
export { parseKeys, verify, WebhookError, type Keys, type Reason } from "./verify.js";
export { version } from "./version.js";
export type * from "./webhook.js";
