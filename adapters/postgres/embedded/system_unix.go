//go:build unix

package embedded

import (
	"io/fs"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// ownerOf is the user id of a file's owner.
func ownerOf(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

func groupOf(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

// lastName reports whether a file has exactly one name. A removed one has none.
func lastName(info fs.FileInfo) bool { return info.Sys().(*syscall.Stat_t).Nlink == 1 }

// inGroup has a process begin as the account, in a process group of its own.
func (a *account) inGroup() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		attributes.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return attributes
}

func kill(process int, s syscall.Signal) error { return syscall.Kill(process, s) }
