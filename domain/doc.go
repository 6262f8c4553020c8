// Package domain holds the rules of the practice, one package for each noun.
//
// Nothing in it does I/O, reads a clock, starts a goroutine or logs: a rule gets
// the time, identifiers and everything else that it asks about as arguments. The
// kernel is [frontdesk/domain/event]; refusals are [frontdesk/domain/fault].
package domain
