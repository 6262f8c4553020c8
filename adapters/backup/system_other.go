//go:build !linux

package backup

import "syscall"

// endsWithUs does nothing: only Linux can signal a program whose parent has ended. Backups are made on Linux.
func endsWithUs(syscall.Signal) *syscall.SysProcAttr { return nil }

// onOneDisk is known on Linux only.
func onOneDisk(_, _ string) bool { return false }
