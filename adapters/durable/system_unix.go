//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// tryLock returns [ErrInUse] if the lock has another holder.
func tryLock(file *os.File, mode Mode) error {
	how := syscall.LOCK_SH
	if mode == Exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrInUse
		}
		return err
	}
}

func syncNames(folder *os.File) error { return folder.Sync() }

func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
