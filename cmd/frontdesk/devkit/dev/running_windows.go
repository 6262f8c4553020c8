package dev

import (
	"io/fs"
	"os"
)

func alive(process int) bool {
	p, err := os.FindProcess(process)
	return err == nil && p.Release() == nil
}

// ownerOf is the user: on Windows, folders that all may write to are not above a user's own.
func ownerOf(fs.FileInfo) int { return os.Geteuid() }
