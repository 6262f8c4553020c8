// Package forward receives webhooks, verifies them, and hands those that hold on to a
// program on this machine: body and headers as they were sent. What the program answers is
// what the sender is answered, so the service's own record of the delivery tells of it.
//
//   - [Inbox] receives, and keeps the newest webhooks with what became of them.
//   - [Target] is where they are handed on to. It sends each once, unless it is asked again.
package forward
