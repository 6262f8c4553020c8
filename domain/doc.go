// Package domain holds the rules of the practice, one package for each noun.
//
// Nothing in it does I/O, reads a clock, starts a goroutine or logs: a rule takes the
// time, identifiers and all other facts as arguments. The kernel is
// [frontdesk/domain/event]; refusals are [frontdesk/domain/fault].
package domain
