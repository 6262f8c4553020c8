package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Windows keeps others from reading a region that is locked, so the lock is one byte far
// beyond the content, which [Holder] reads.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// tryLock returns [ErrInUse] if the lock has another holder.
func tryLock(file *os.File, mode Mode) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if mode == Exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

// syncNames does nothing: Windows flushes no folder, and NTFS keeps a journal of names.
func syncNames(*os.File) error { return nil }

func unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lockedByte())
}
