package embedded

import (
	"io/fs"
	"syscall"
)

// No cluster is started on this system, so nothing below is used.

const noFollow = 0

func ownerOf(fs.FileInfo) uint32 { return 0 }

func groupOf(fs.FileInfo) uint32 { return 0 }

func lastName(fs.FileInfo) bool { return false }

func (*account) inGroup() *syscall.SysProcAttr { return nil }

func kill(int, syscall.Signal) error { return errWindows }
