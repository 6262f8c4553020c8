//go:build prove

package trouble_test

import (
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
)

// process is the background part of one process of the program: a sequencer, the consumers,
// and the sender of webhooks.
type process struct {
	wires   *wires
	pool    *pgxpool.Pool
	db      *sql.DB
	grown   *background.Broadcast
	tail    *eventstore.Tail
	queued  *background.Broadcast
	stop    context.CancelFunc
	running sync.WaitGroup
}

var silent = slog.New(slog.DiscardHandler)

// start runs a process.
func (w *world) start() *process {
	p := &process{wires: &wires{}, grown: &background.Broadcast{}, queued: &background.Broadcast{}}
	p.pool = p.wires.pool(w.t, w.url, "process")
	p.db = stdlib.OpenDBFromPool(p.pool)
	p.tail = eventstore.NewTail(p.pool, w.store.Codec, p.grown)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	p.stop = stop
	fanOut := webhooks.FanOut{Ages: webhooks.Ages{CallIn: time.Hour, Other: time.Hour}, Queued: p.queued, Now: clock.System}
	told := w.consumer(p, webhooks.FanOutName, fanOut.Handle)
	told.Alone, told.Follows = fanOut.HandleAlone, fanOut.Follows()
	for _, run := range []func(context.Context){
		eventstore.NewSequencer(p.pool, w.appended, p.grown, silent).Run,
		w.consumer(p, "steady", w.record("steady")).Run,
		w.consumer(p, "moody", w.moodily(w.record("moody"))).Run,
		told.Run,
		w.sender(p).Run,
	} {
		p.running.Go(func() { run(ctx) })
	}
	return p
}

func (w *world) consumer(p *process, name string, handler eventstore.Handler) *eventstore.Consumer {
	return &eventstore.Consumer{
		Name: name, DB: p.db, Tail: p.tail, Handler: handler, Log: silent, Retry: 10 * time.Millisecond,
	}
}

func (w *world) sender(p *process) *webhooks.Sender {
	client := webhooks.NewClient(loopback, nil)
	transport := client.Transport.(*http.Transport)
	transport.DialContext = p.wires.through(transport.DialContext)
	transport.DialTLSContext = transport.DialContext // the receiver speaks plain HTTP under an https address
	return &webhooks.Sender{
		DB: p.pool, Codec: w.store.Codec, Opens: &keyring.Keyring{DB: postgres.On(p.pool), Codec: w.store.Codec}, Signer: &signing.Signer{Vault: w.vault(p.pool)}, Client: client, CheckURL: loopback.CheckURL,
		Queued: p.queued, Now: clock.System, RealNow: clock.System, Timeout: 2 * time.Second, Log: silent,
	}
}

// kill simulates kill -9: the process's connections end wherever they are, and nothing that
// it does then has an effect.
func (p *process) kill() {
	p.wires.cut(true)
	p.end()
}

// end stops the process, in order if its wires are whole.
func (p *process) end() {
	p.stop()
	p.running.Wait()
	_ = p.db.Close()
	p.pool.Close()
}
