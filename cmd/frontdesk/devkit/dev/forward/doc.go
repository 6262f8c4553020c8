// Package forward receives webhooks, verifies them, and forwards the valid ones to a program
// on this machine, with unchanged body and headers. The program's answer is the answer to the
// sender, so it is in the service's own record of the delivery.
//
//   - [Inbox] receives, and keeps the newest webhooks with their outcomes.
//   - [Target] is the program. It gets each webhook once, unless a user asks for another.
package forward
