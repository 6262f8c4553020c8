//go:build unix

package term

import "syscall"

// atOnce opens a pipe that has no reader yet with ENXIO, and makes no terminal ours.
const atOnce = syscall.O_NONBLOCK | syscall.O_NOCTTY
