package postgres

import (
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A server that has vanished is noticed, whether we wait for it or speak to it.
func TestAServerThatHasVanishedIsNoticed_D48(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return // other systems have other numbers for this
	}
	const keepIdle, keepInterval, keepCount, userTimeout = 4, 5, 6, 18
	options := map[int]int{}
	if err := raw.Control(func(fd uintptr) {
		for _, option := range []int{keepIdle, keepInterval, keepCount, userTimeout} {
			options[option], _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option)
		}
	}); err != nil {
		t.Fatal(err)
	}
	silent := time.Duration(options[keepIdle]+options[keepInterval]*options[keepCount]) * time.Second
	if silent != vanished || time.Duration(options[userTimeout])*time.Millisecond != vanished {
		t.Errorf("a silent server is given up after %s, unacknowledged data after %d ms; want %s", silent, options[userTimeout], vanished)
	}
}
