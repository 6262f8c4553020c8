// Package commands holds every intent: the actions of a practice, its staff, an
// application or an operator. An intent is a struct of its arguments and a method of
// [Desk] with the same name, in the file of its noun. So "go doc commands.Desk" is the
// table of contents.
//
// A method does two things. It fetches the facts that the rule needs. Then it takes the
// decision and appends its events, by [Update] if the stream may have a history. Rules
// live in [frontdesk/domain]. The context carries the actor, as
// [frontdesk/domain/event.Metadata]. If a rule refuses, the error is a
// [frontdesk/domain/fault], and nothing was appended.
package commands
