// Package domain is the rules of the practice, one package a noun.
//
// Nothing in it does I/O, reads a clock, starts a goroutine or logs: time,
// identifiers and whatever else a rule asks about are arguments. The kernel is
// [frontdesk/domain/event]; what may be refused is [frontdesk/domain/fault].
package domain
