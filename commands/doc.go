// Package commands is what can be intended, one intent a file.
//
// A command is a struct of what the intent needs; its handler is a struct of
// what it needs from outside, with a Handle method that does three things:
// fetch what the rule asks about, [Update] the stream, wrap the error. Rules
// live in [frontdesk/domain]; who is acting travels in the context, as
// [frontdesk/domain/event.Metadata].
package commands
