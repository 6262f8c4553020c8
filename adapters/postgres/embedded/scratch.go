package embedded

import (
	"os"
	"syscall"
)

// Scratch is where throwaway clusters are best kept: in memory where the
// system offers plenty of it as files, else in the temporary directory. A
// database is three hundred small files, and some file systems take 15 ms for
// one at first but 300 ms once hundreds have been made and dropped.
func Scratch() string {
	const memory, plenty = "/dev/shm", 4 << 30
	var free syscall.Statfs_t
	if syscall.Statfs(memory, &free) == nil && free.Bavail*uint64(free.Bsize) >= plenty {
		return memory
	}
	return os.TempDir()
}
