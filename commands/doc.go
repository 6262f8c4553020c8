// Package commands is what can be intended. A file is a noun of the practice,
// and an intent is a struct of what it needs to know with a method of [Desk]
// of the same name: go doc commands.Desk is the table of contents.
//
// A method does two things: it fetches what the rule asks about, and it has
// the decision taken and appended, by [Update] where the stream has a history.
// Rules live in [frontdesk/domain]; who is acting travels in the context, as
// [frontdesk/domain/event.Metadata]. An error is a [frontdesk/domain/fault]
// where a rule refuses, and then nothing was appended.
package commands
