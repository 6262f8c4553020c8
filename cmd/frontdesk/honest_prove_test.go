//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/proof"
)

// How long an honest log is watched, and by how many.
const (
	honestyOfNight   = 45 * time.Second
	honestyOfRelease = 5 * time.Minute
	honestClients    = 6
)

// TestProveThatAnHonestLogRaisesNoAlarm kills, restarts, upgrades and rebuilds everything
// while clients call: two processes of the service, Postgres, the signer and a witness.
// Neither the signer nor the witness may raise an alarm, and verifications in between find
// nothing. In the end everything is signed and cosigned.
func TestProveThatAnHonestLogRaisesNoAlarm_D77(t *testing.T) { //nolint:paralleltest // it takes the machine
	h := newProved(t)
	long := provetest.Lasts(t, honestyOfNight, honestyOfRelease)
	watch, upgraded := clock.Start(), false
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	for n := range honestClients {
		calling.Go(func() { h.callUntil(ctx, n) })
	}
	for watch.Elapsed() < long && !t.Failed() {
		if !upgraded && watch.Elapsed() > long/2 {
			h.upgrade()
			upgraded = true
		}
		h.trouble()
	}
	stop()
	calling.Wait()
	h.settle()
	happened := 0
	for trouble, times := range h.done {
		t.Logf("%s: %d times", trouble, times)
		happened += times
	}
	provetest.Tried(t, happened-h.done[nothing], "troubles")
	provetest.Tried(t, h.answered.count(), "calls answered")
}

const nothing = "nothing"

// trouble is one of the things that happen to an honest service.
func (h *proved) trouble() {
	h.t.Helper()
	r := h.replicas[rand.IntN(len(h.replicas))]
	troubles := []struct {
		name string
		do   func()
	}{
		{nothing, func() {}},
		{"a process is restarted", func() { r.stop(); r.start(h.program) }},
		{"a process is killed", func() { r.kill(); r.start(h.program) }},
		{"Postgres is killed", func() {
			h.signal(syscall.SIGKILL, h.halted()...)
			<-h.postgres.Done()
			h.must(h.postgres.Restart(h.t.Context()))
		}},
		{"the signer is killed", func() { h.signer.kill(); h.signer.start(h.program) }},
		{"the signer reads everything again", func() { h.signer.kill(); h.signer.start(h.program, "--verify-all") }},
		{"the witness is killed", func() { h.witness.kill(); h.witness.start() }},
		{"the trees are rebuilt", func() {
			h.runs("audit", "rebuild", "--proofs", "--database-url", h.postgres.URL("frontdesk", embedded.Superuser))
		}},
		{"a verification", func() { h.verifies() }},
	}
	next := troubles[rand.IntN(len(troubles))]
	next.do()
	h.done[next.name]++
	time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
	h.wantNoAlarm()
}

// upgrade lets a next release migrate the database and replace the present one.
func (h *proved) upgrade() {
	h.t.Helper()
	next := nextRelease(h.t)
	h.program = next
	h.runs("migrate", "--database-url", h.postgres.URL("frontdesk", embedded.Superuser))
	for _, r := range h.replicas {
		r.stop()
		r.start(next)
	}
	h.done["a rolling upgrade"]++
}

// runs runs a command, which must succeed.
func (h *proved) runs(args ...string) {
	h.t.Helper()
	if said, err := exec.CommandContext(h.t.Context(), h.program, args...).CombinedOutput(); err != nil {
		h.t.Errorf("%v: %v: %s", args[:3], err, lastLines(string(said)))
	}
}

// verifies compares the stored data with the trees and the checkpoints.
func (h *proved) verifies() {
	h.t.Helper()
	h.runs("audit", "verify", "--database-url", h.postgres.URL("frontdesk", postgres.AuditRole), "--key", h.logKey)
}

// wantNoAlarm fails at the first alarm. A temporary problem is a warning.
func (h *proved) wantNoAlarm() {
	h.t.Helper()
	for name, said := range map[string]string{"signer": h.signer.said.String(), "witness": h.witness.said.String()} {
		for line := range strings.Lines(said) {
			if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "without a valid proof") {
				h.t.Errorf("the %s logged: %s", name, line)
			}
		}
	}
}

// settle waits until everything is signed and cosigned, and verifies it.
func (h *proved) settle() {
	h.t.Helper()
	policy, err := proof.NewPolicy(h.logKey, []string{h.witness.vkey}, 1)
	h.must(err)
	var open error
	watch := clock.Start()
	for open = h.unsigned(policy); open != nil && watch.Elapsed() < 2*time.Minute; open = h.unsigned(policy) {
		time.Sleep(200 * time.Millisecond)
	}
	h.must(open)
	h.wantNoAlarm()
	h.verifies()
}

// unsigned returns the tree without a checkpoint that covers it, as an error.
func (h *proved) unsigned(policy proof.Policy) error {
	conn, err := pgx.Connect(h.t.Context(), h.postgres.URL("frontdesk", embedded.Superuser))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(h.t.Context())) }()
	rows, err := conn.Query(h.t.Context(), `SELECT t.tenant, t.kind, t.size, coalesce((SELECT note FROM checkpoints c
		WHERE (c.tenant, c.kind) = (t.tenant, t.kind) ORDER BY epoch DESC, day DESC LIMIT 1), '') FROM trees t WHERE t.size > 0`)
	if err != nil {
		return err
	}
	defer rows.Close()
	trees, leaves := 0, int64(0)
	for rows.Next() {
		var tenant, note string
		var kind, size int64
		if err := rows.Scan(&tenant, &kind, &size, &note); err != nil {
			return err
		}
		c, err := policy.Open([]byte(note))
		if err != nil || c.Size != size || c.Origin.Epoch != 1 {
			return fmt.Errorf("of tree %q %d with %d leaves, %v is signed: %w", tenant, kind, size, c, err)
		}
		trees, leaves = trees+1, leaves+size
	}
	if rows.Err() != nil || trees < 3 { // of a practice and of none; the callers are of a practice
		return fmt.Errorf("there are %d trees: %w", trees, rows.Err())
	}
	var stored int64
	err = conn.QueryRow(h.t.Context(), `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM access_record)`).Scan(&stored)
	if err == nil && stored != leaves {
		err = fmt.Errorf("%d events and lines are stored, and the trees have %d leaves", stored, leaves)
	}
	return err
}

// callUntil submits requests until ctx ends. Refusals during an outage do not matter to this
// test.
func (h *proved) callUntil(ctx context.Context, n int) {
	for ctx.Err() == nil {
		at := h.replicas[n%len(h.replicas)].place.public
		body := `{"patientId":"` + h.patient + `","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+"/transactional-api/create-patient-request", strings.NewReader(body))
		if err != nil {
			h.t.Error(err)
			return
		}
		r.Host = "elm-street.example.com"
		r.Header.Set("Authorization", "Bearer "+h.integrator.Token(clock.System()))
		if response, err := h.client.Do(r); err == nil {
			h.note(response)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// note keeps the request that was made, if an answer came whole and names one.
func (h *proved) note(response *http.Response) {
	defer func() { _ = response.Body.Close() }()
	var made struct{ PatientRequestID uuid.UUID }
	if json.NewDecoder(response.Body).Decode(&made) == nil && response.StatusCode == http.StatusOK {
		h.answered.add(made.PatientRequestID)
	}
}
