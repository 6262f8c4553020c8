// Package commands holds every intent: whatever the practice, its staff, an
// application or an operator may want done. An intent is a struct of its arguments
// and a method of [Desk] with the same name, in the file of the noun that it is
// about. So "go doc commands.Desk" is the table of contents.
//
// A method does two things. It fetches what the rule asks about. Then it has the
// decision taken and its events appended, by [Update] if the stream may have a
// history. Rules live in [frontdesk/domain]. Who is acting travels in the context, as
// [frontdesk/domain/event.Metadata]. If a rule refuses, the error is a
// [frontdesk/domain/fault], and nothing was appended.
package commands
