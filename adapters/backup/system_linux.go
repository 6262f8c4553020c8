package backup

import "syscall"

// endsWithUs has a program get a signal when the thread that started it ends.
func endsWithUs(signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: signal}
}
