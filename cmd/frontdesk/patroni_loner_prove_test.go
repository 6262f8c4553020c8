//go:build prove

package main_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/domain/epoch"
)

// loner is a client that knows only one machine and writes there whenever it may, whether it
// is the primary or not. Writes that a machine has confirmed to it must be in the one history
// that stays: otherwise two machines were primaries at once.
type loner struct {
	machine   *machine
	confirmed []string
}

// loners begin to write, each at its machine, until the function that they return is called.
func (p *patroni) loners() (end func() []*loner) {
	p.t.Helper()
	p.must(p.leader().psql("loners", "CREATE TABLE written (what text PRIMARY KEY)"))
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	var group sync.WaitGroup
	var all []*loner
	for _, m := range p.machines {
		l := &loner{machine: m}
		all = append(all, l)
		group.Go(func() {
			for session := 0; ctx.Err() == nil; session++ {
				l.write(ctx, session)
				pauseFor(ctx, 200*time.Millisecond)
			}
		})
	}
	stop := sync.OnceFunc(func() { cancel(); group.Wait() })
	p.t.Cleanup(stop)
	return func() []*loner { stop(); return all }
}

// write writes in one session, for as long as the session lasts. Its statements wait
// for ever, as those of a patient client do.
func (l *loner) write(ctx context.Context, session int) {
	psql := l.machine.session("loners")
	orders, err := psql.StdinPipe()
	if err != nil {
		return
	}
	answers, err := psql.StdoutPipe()
	if err != nil || psql.Start() != nil {
		return
	}
	ended := context.AfterFunc(ctx, func() { _ = psql.Process.Kill() })
	defer func() { ended(); _ = psql.Process.Kill(); _ = psql.Wait() }()
	said := bufio.NewScanner(answers)
	for n := range int(1e9) {
		what := fmt.Sprintf("%s-%d-%d", l.machine.name, session, n)
		if _, err := fmt.Fprintf(orders, "INSERT INTO written VALUES ('%s');\n\\echo %s\n", what, what); err != nil || !said.Scan() {
			return
		}
		l.confirmed = append(l.confirmed, said.Text())
		pauseFor(ctx, 10*time.Millisecond)
	}
}

// wantKept fails if something that a machine has confirmed is not there.
func (p *patroni) wantKept(end func() []*loner) {
	p.t.Helper()
	all, kept := end(), map[string]bool{}
	for what := range strings.Lines(p.must(p.leader().psql("loners", "SELECT what FROM written"))) {
		kept[strings.TrimSpace(what)] = true
	}
	for _, l := range all {
		for _, what := range l.confirmed {
			if !kept[what] {
				p.t.Errorf("%s has confirmed %s, which is lost", l.machine.name, what)
			}
		}
		p.t.Logf("%s has confirmed %d of a client of its own", l.machine.name, len(l.confirmed))
	}
}

// wantNothingMissing fails unless each failover has begun an epoch in which all is there.
func wantNothingMissing(t *testing.T, begun map[int64]epoch.Begun, failovers int) {
	t.Helper()
	for idx, b := range begun {
		if b.Cause != epoch.Timeline || b.LastKnown != idx-1 || b.Missing == nil || *b.Missing != 0 {
			t.Errorf("idx %d begins %+v", idx, b)
		}
	}
	if len(begun) != failovers {
		t.Errorf("%d epochs began in %d failovers", len(begun), failovers)
	}
}
