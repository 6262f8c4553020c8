//go:build walk

package docs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/feed"
)

// relayed is a broker with a log of one practice.
type relayed struct {
	t     *testing.T
	js    jetstream.JetStream
	url   string
	codec *event.Codec
	idx   int64
	open  []event.Stream
	count map[string][2]int // submitted and completed, by type
	types map[event.Stream]string
}

func newRelayed(t *testing.T) *relayed {
	t.Helper()
	s := brokertest.New(t)
	codec, err := event.NewCodec(request.Events()...)
	l := &relayed{t: t, js: s.JetStream(), url: s.URL(), codec: codec, count: map[string][2]int{}, types: map[event.Stream]string{}}
	l.must(err)
	_, err = l.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: feed.EpochsStream, Subjects: []string{feed.EpochsSubject}, MaxMsgsPerSubject: 1, AllowDirect: true})
	l.must(err)
	l.begin(1, `[{"epoch":1,"first":1}]`)
	return l
}

func (l *relayed) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *relayed) begin(epoch int, chain string) {
	l.t.Helper()
	_, err := l.js.CreateStream(l.t.Context(), jetstream.StreamConfig{Name: feed.StreamName(epoch), Subjects: []string{feed.Subjects(epoch)}, FirstSeq: uint64(l.idx + 1)})
	l.must(err)
	_, err = broker.Grant(l.t.Context(), l.js, broker.Follower{Name: "elm-street", Tenant: "elm-street"})
	l.must(err)
	_, err = l.js.PublishMsg(l.t.Context(), &nats.Msg{Subject: feed.EpochsSubject, Data: []byte(chain)})
	l.must(err)
}

// happen is one more event: a request is submitted, or one of those that are open completed.
func (l *relayed) happen(epoch int) {
	l.t.Helper()
	l.idx++
	stream := event.Stream{Tenant: "elm-street", ID: event.NewID()}
	kind := request.Types()[rand.IntN(2)]
	var e event.Event = request.Submitted{Patient: patient.ID{UUID: event.NewID()}, Type: kind, Requester: request.ByPatient}
	if len(l.open) > 3 && rand.IntN(2) == 0 {
		stream, l.open = l.open[0], l.open[1:]
		e = request.Completed{}
		l.count[l.types[stream]] = [2]int{l.count[l.types[stream]][0], l.count[l.types[stream]][1] + 1}
	} else {
		l.open, l.types[stream] = append(l.open, stream), string(kind)
		l.count[string(kind)] = [2]int{l.count[string(kind)][0] + 1, l.count[string(kind)][1]}
	}
	stored, err := l.codec.Clear(event.Recorded{
		Event: e, Idx: l.idx, ID: event.NewID(), Stream: stream, Version: 1, At: time.Date(2026, 11, 23, 9, 0, 0, int(l.idx), time.UTC),
		Metadata: event.Metadata{Actor: event.Service("frontdesk")},
	})
	l.must(err)
	_, err = l.js.PublishMsg(l.t.Context(), feed.Encode(feed.Message{Epoch: epoch, Stored: stored, Before: l.idx - 1}))
	l.must(err)
}

// wants returns the result that the example must reach.
func (l *relayed) wants() string {
	var lines []string
	for _, kind := range []string{"admin", "medical"} {
		if n := l.count[kind]; n != [2]int{} {
			lines = append(lines, fmt.Sprint(kind, " ", n[0], " ", n[1]))
		}
	}
	return strings.Join(lines, "\n") + fmt.Sprintf("\nat %d\n", l.idx)
}

// The example is killed at random moments while events come. Then an epoch begins that has
// lost some of the events that it has read.
func TestWalkFollowerExampleIsKilled_D102(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "follower")
	output(t, "", "examples/follower", "go", "build", "-o", program, ".")
	l := newRelayed(t)
	store := filepath.Join(dir, "requests.db")
	for range 12 {
		ctx, kill := context.WithCancel(t.Context())
		c := exec.CommandContext(ctx, program, "--nats", l.url, "--api", "$JS.API", "--tenant", "elm-street", "--store", store)
		l.must(c.Start())
		for range 20 + rand.IntN(60) {
			l.happen(1)
		}
		kill()
		_ = c.Wait() // it was killed
	}
	c := exec.CommandContext(t.Context(), program, "--nats", l.url, "--api", "$JS.API", "--tenant", "elm-street", "--store", store)
	c.Stderr = os.Stderr
	l.must(c.Start())
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	counted := func() string {
		printed, _ := tryOutput(t.Context(), "", dir, "/usr/bin/python3", "-c", readStore, store)
		return printed
	}
	comesTo := func(want string) {
		t.Helper()
		for watch := clock.Start(); counted() != want && watch.Elapsed() < time.Minute; {
			time.Sleep(50 * time.Millisecond)
		}
		if got := counted(); got != want {
			t.Errorf("counted\n%s\nand not\n%s", got, want)
		}
	}
	comesTo(l.wants())
	l.idx, l.open, l.count = 0, nil, map[string][2]int{}
	l.begin(2, `[{"epoch":2,"first":1}]`)
	for range 9 {
		l.happen(2)
	}
	comesTo(l.wants())
}

const readStore = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10)
for row in db.execute("SELECT type, sum(submitted), sum(completed) FROM days GROUP BY type ORDER BY type"): print(*row)
print("at", *db.execute("SELECT idx FROM place").fetchone())`

// Every command and program of the page for followers is run, one after another.
func TestWalkFollowersPage_D102(t *testing.T) {
	t.Parallel()
	if _, err := theSandbox(); err != nil { // which builds the program
		t.Fatal(err)
	}
	l := newRelayed(t)
	for range 6 {
		l.happen(1)
	}
	bin, err := filepath.Abs("../.frontdesk/bin")
	l.must(err)
	dir := t.TempDir()
	var printed string
	for _, snippet := range snippets(t, "integrate/followers.md") {
		switch snippet.language {
		case "python":
			l.must(os.WriteFile(filepath.Join(dir, "requests.py"), []byte(snippet.text), 0o600))
		case "sh":
			printed += output(t, "", dir, "env", "PATH="+bin+":"+os.Getenv("PATH"), "FRONTDESK_NATS="+l.url, "FRONTDESK_NATS_API=$JS.API", "bash", "-euc", snippet.text)
		case "json": // an example of a line
		default:
			t.Errorf("nothing runs a snippet in %q", snippet.language)
		}
	}
	if strings.Count(printed, `"place":"1:`) != 3 || !strings.Contains(printed, "counted 1:4\n") {
		t.Errorf("the page prints\n%s", printed)
	}
}
