package backup

import (
	"os"
	"syscall"
)

// endsWithUs has a program get a signal when the thread that started it ends.
func endsWithUs(signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: signal}
}

// onOneDisk reports whether two folders are in one file system.
func onOneDisk(one, other string) bool {
	device := func(folder string) (uint64, bool) {
		info, err := os.Stat(folder)
		if err != nil {
			return 0, false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		return stat.Dev, ok
	}
	first, known := device(one)
	second, alsoKnown := device(other)
	return known && alsoKnown && first == second
}
