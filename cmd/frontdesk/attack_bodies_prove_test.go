//go:build prove

package main_test

import (
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"
)

// How many connections the attacks hold whose bodies never end.
const (
	trickledTexts = 160
	trickledFiles = 2560
)

// mostBodies is how many bodies one process can send at once: 11,000 if it may open that many
// files.
func mostBodies() int {
	var files syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return int(min(11_000, files.Max-min(files.Max, 500)))
}

// formsWithoutBody sends the head of a form, some 130 bytes, 80 times a second.
func formsWithoutBody(a *attacker) {
	head := fmt.Sprintf("POST /%s/staff/sign-in HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\n",
		attacked, pagesHost)
	a.every(80, func(n int) { a.send(n%sources, head) })
}

// callsWithoutBody sends the heads of calls that may be made.
func callsWithoutBody(a *attacker) {
	a.hold(mostBodies(), func(n int) { a.send(n%sources, a.submission(1000)) })
}

// send sends a text and then nothing, until it is answered.
func (a *attacker) send(source int, text string) {
	conn, err := a.dial(source, 0)
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(text)); err == nil {
		a.awaitAnswer(conn)
	}
}

// submission is the head of a call that sends a patient request of that many bytes.
func (a *attacker) submission(length int) string {
	return fmt.Sprintf("POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: %s.%s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", a.Own.Tenant, apiDomain, a.bearer(), length)
}

// textsThatTrickle sends texts that are long enough to need a permit, and then continues at 9
// KB a second.
func textsThatTrickle(a *attacker) {
	a.hold(trickledTexts, func(n int) {
		begin := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"`, a.Own.Patient)
		a.trickle(n%sources, a.submission(1<<20)+begin+strings.Repeat("x", 65<<10), 9_000)
	})
}

// filesThatTrickle sends files just above the pace that is demanded of bodies.
func filesThatTrickle(a *attacker) {
	a.hold(trickledFiles, func(n int) {
		begin := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A rash"}],`+
			`"attachments":[{"fileName":"a.jpg","contentType":"image/jpeg","data":"`, a.Own.Patient)
		a.trickle(n%sources, a.submission(8<<20)+begin, 7_000)
	})
}

// trickle sends a beginning and then some bytes a second, until the answer.
func (a *attacker) trickle(source int, begin string, perSecond int) {
	conn, err := a.dial(source, 0)
	if err != nil {
		return
	}
	defer conn.Close()
	answered := make(chan struct{})
	go func() { defer close(answered); a.awaitAnswer(conn) }()
	drops(conn, begin, perSecond, answered)
	conn.Close()
	<-answered
}

func drops(conn net.Conn, begin string, perSecond int, answered <-chan struct{}) {
	drop, tick := []byte(strings.Repeat("A", perSecond)), time.NewTicker(time.Second)
	defer tick.Stop()
	for next := []byte(begin); ; next = drop {
		if _, err := conn.Write(next); err != nil {
			return
		}
		select {
		case <-answered:
			return
		case <-tick.C:
		}
	}
}
