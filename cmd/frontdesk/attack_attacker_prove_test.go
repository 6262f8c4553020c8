//go:build prove

package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"frontdesk.example/client"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/testworld"
)

// target is the target of an attack, and the attacker's means.
type target struct {
	Address string
	Own     integrator // the attacker's application
	Hanging integrator
	Victim  member
}

// tally counts an attacker's attempts, and their results.
type tally struct {
	Begun int
	Seen  map[string]int
}

// String lists the counts, the largest first.
func (t tally) String() string {
	names := slices.SortedFunc(maps.Keys(t.Seen), func(a, b string) int { return t.Seen[b] - t.Seen[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d × %s", t.Seen[name], name)
	}
	return strings.Join(append([]string{fmt.Sprint(t.Begun, " begun")}, names...), ", ")
}

// attacker attacks from a process of its own; the end of the process ends all of its
// attempts.
type attacker struct {
	target

	mu     sync.Mutex
	tally  tally
	signer *client.Signer
	token  string
	age    clock.Stopwatch
}

// A process that is to attack runs no tests, and TestMain belongs to all.
//
//nolint:gochecknoinits // see above
func init() {
	name := os.Getenv(theAttack)
	if name == "" {
		return
	}
	for _, a := range attacks() {
		if a.name == name {
			attackAndExit(a)
		}
	}
}

// attackAndExit attacks until standard input ends, and prints the tally.
func attackAndExit(a attack) {
	by, orders := &attacker{tally: tally{Seen: map[string]int{}}}, json.NewDecoder(os.Stdin)
	if err := orders.Decode(&by.target); err != nil {
		panic(err)
	}
	var err error
	if by.signer, err = testworld.Signer("", by.Own.KeyFile); err != nil {
		panic(err)
	}
	go a.run(by)
	_, _ = io.Copy(io.Discard, os.Stdin)
	by.mu.Lock() // attempts that have not ended yet no longer count
	_ = json.NewEncoder(os.Stdout).Encode(by.tally)
	os.Exit(0)
}

func (a *attacker) begins() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tally.Begun++
}

func (a *attacker) saw(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tally.Seen[what]++
}

// bearer is a good token of the attacker's application. It is used for a third of
// its life.
func (a *attacker) bearer() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.age.Elapsed() > 20*time.Second {
		a.token, _ = a.signer.Token(a.Own.ID.String(), "", clock.System())
		a.age = clock.Start()
	}
	return a.token
}

// every repeats something at a rate per second.
func (a *attacker) every(perSecond float64, do func(n int)) {
	pace := rate.NewLimiter(rate.Limit(perSecond), 10)
	for n := 0; pace.Wait(context.Background()) == nil; n++ {
		a.begins()
		go do(n)
	}
}

// hold keeps that many repetitions going, each of which starts again when it has ended. A
// tenth of them begin in a second.
func (a *attacker) hold(count int, do func(n int)) {
	pace := rate.NewLimiter(rate.Limit(count)/10, 10)
	for n := range count {
		go func() {
			for pace.Wait(context.Background()) == nil {
				a.begins()
				do(n)
			}
		}()
	}
}

// sources is how many addresses a crowd of connections comes from.
const sources = 16

// sourceOf is an address that no honest caller has.
func sourceOf(n int) *net.TCPAddr {
	return &net.TCPAddr{IP: net.IPv4(127, 66, byte(n>>8), byte(n))}
}

// dial connects from a source. A client that will not read has a small buffer; 0 is the
// default one.
func (a *attacker) dial(source, buffer int) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 5 * time.Second, LocalAddr: sourceOf(source)}
	if buffer > 0 {
		dialer.Control = func(_, _ string, conn syscall.RawConn) error {
			return conn.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, buffer) })
		}
	}
	conn, err := dialer.Dial("tcp", a.Address)
	if err != nil {
		a.saw("not connected")
	}
	return conn, err
}

// awaitAnswer waits for the status of an answer; "" if the connection ends before.
func (a *attacker) awaitAnswer(conn net.Conn) (status string) {
	var line [12]byte // HTTP/1.1 503
	if n, _ := io.ReadFull(conn, line[:]); n == len(line) {
		status = string(line[9:])
	}
	a.saw(cmp.Or(status, "cut off"))
	return status
}
