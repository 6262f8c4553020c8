//go:build unix

package dev

import (
	"io/fs"
	"syscall"
)

func alive(process int) bool { return syscall.Kill(process, 0) != syscall.ESRCH }

func ownerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
