//go:build !linux

package postgres

import "syscall"

// boundUnacknowledged is for Linux only.
func boundUnacknowledged(string, string, syscall.RawConn) error { return nil }
