package embedded

import (
	"errors"
	"io/fs"
	"syscall"
)

// supported is the error of each start, so that nothing below is used.
func supported() error {
	return errors.New("frontdesk runs no Postgres on Windows: use WSL")
}

const noFollow = 0

func ownerOf(fs.FileInfo) uint32 { return 0 }

func groupOf(fs.FileInfo) uint32 { return 0 }

func lastName(fs.FileInfo) bool { return false }

func (*account) inGroup() *syscall.SysProcAttr { return nil }

func kill(int, syscall.Signal) error { return supported() }
