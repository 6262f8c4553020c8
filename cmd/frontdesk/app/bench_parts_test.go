package app_test

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// BenchmarkParts is the CPU of each part of the call that BenchmarkCall makes, and of the
// work that follows it. A part that the caller waits for runs in 16 workers, in addition to
// the work of the bare handler. A part that follows runs during appends at a pace. Its CPU is
// that of the appends with it, less that of the appends without it, for each event.
func BenchmarkParts(b *testing.B) {
	p := newParts(b)
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"token", p.token()}, {"rights and reception", p.rights}, {"body", p.body}, {"decide", p.decide}, {"append", p.append},
	} {
		b.Run(part.name, func(b *testing.B) {
			turn := func(do func(context.Context) error) func() benchtest.Work {
				return func() benchtest.Work { return benchtest.During(b, 16, 300*time.Millisecond, do) }
			}
			benchtest.Comparison{
				Ratio:   "of-bare",
				Floor:   benchtest.Rate{Unit: "bare/s", Turn: turn(p.bare())},
				Rate:    benchtest.Rate{Unit: "times/s", Turn: turn(part.do)},
				Cluster: p.cluster,
			}.Run(b)
		})
	}
	sequencer := eventstore.NewSequencer(p.pool, p.appended, p.grown, p.log)
	recorder := accesslog.NewRecorder(p.pool, prometheus.NewRegistry(), p.log)
	b.Run("sequencer", func(b *testing.B) { p.behind(b, p.submit, sequencer.Run) })
	b.Run("access record", func(b *testing.B) {
		p.behind(b, func(ctx context.Context, n int, with bool) error {
			for range n {
				if with {
					recorder.Record(p.line())
				}
			}
			return p.submit(ctx, n, with)
		}, recorder.Run)
	})
	defer startAll(b, sequencer.Run)()
	read := p.consumers()
	b.Run("read models", func(b *testing.B) { p.behind(b, p.submit, read[:len(read)-1]...) })
	b.Run("fan-out", func(b *testing.B) { p.behind(b, p.submit, read[len(read)-1]) })
	b.Run("proofs", func(b *testing.B) { p.behind(b, p.submit, proving.NewProver(p.pool, p.grown, p.log).Run) })
}

// parts is a program in parts, each of which can be started separately.
type parts struct {
	b               *testing.B
	log             *slog.Logger
	pool            *pgxpool.Pool
	cluster         string
	appended, grown *background.Broadcast
	codec           *event.Codec
	desk            commands.Desk
	integrator      bearertest.Application
	patient         patient.ID
	receptions      practice.Receptions
	bareAnswers     http.Handler
}

func newParts(b *testing.B) *parts {
	b.Helper()
	service, integrator, id := serving(b)
	p := &parts{
		b: b, log: slog.New(slog.DiscardHandler), cluster: benchtest.ClusterOf(b, service.admin), appended: &background.Broadcast{}, grown: &background.Broadcast{},
		integrator: integrator, bareAnswers: bare(b, service.admin, &integrator.Key.PublicKey),
	}
	must(b, p.patient.UnmarshalText([]byte(id)))
	service.stop() // its parts would count
	var err error
	p.pool, err = postgres.NewPool(b.Context(), service.url, 28)
	must(b, err)
	b.Cleanup(p.pool.Close)
	p.codec, err = event.NewCodec(domain.Events()...)
	must(b, err)
	keys := &keyring.Keyring{DB: postgres.On(p.pool), Codec: p.codec, Masters: sealing.NewRing(sealing.MasterKey{1}), Now: clock.System}
	must(b, keys.Start(b.Context()))
	store := &eventstore.Store{DB: postgres.On(p.pool), Codec: p.codec, Keys: keys, AtOnce: projections.AtOnce(), Now: clock.System, Appended: p.appended}
	b.Cleanup(store.Close)
	p.desk = service.Desk
	p.desk.Store = store
	p.receptions, err = projections.Availability{DB: p.pool}.Receptions(b.Context(), "elm-street")
	must(b, err)
	return p
}

// bare is the work of the bare handler, without a connection.
func (p *parts) bare() func(context.Context) error {
	token, text := "Bearer "+p.integrator.Token(clock.System()), requestBody(p.patient.String())
	return func(ctx context.Context) error {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(text))
		r.Header.Set("Authorization", token)
		p.bareAnswers.ServeHTTP(httptest.NewRecorder(), r)
		return nil
	}
}

// token is verified with keys that are in memory.
func (p *parts) token() func(context.Context) error {
	p.b.Helper()
	keys, err := bearer.ReadKeySet(p.integrator.JWKS())
	must(p.b, err)
	now := clock.System()
	token := p.integrator.Token(now)
	return func(context.Context) error {
		parsed, err := bearer.Parse(token, now)
		if err != nil {
			return err
		}
		return parsed.Verify(keys)
	}
}

func (p *parts) claim() access.Claim {
	return access.Claim{Tenant: "elm-street", Application: p.integrator.ID, Mode: application.ApplicationRestricted,
		Endpoint: access.Endpoint{Name: access.CreatePatientRequest, NamesPatient: true, AsksReception: true}}
}

func (p *parts) rights(ctx context.Context) error {
	claim := p.claim()
	rights, err := projections.Rights{DB: p.pool}.Rights(ctx, claim, clock.System())
	if err != nil {
		return err
	}
	return access.Judge(access.Caller{Claim: claim, Rights: rights}, nil)
}

func (p *parts) body(ctx context.Context) error {
	files := body.Files{Tenant: "elm-street"}
	form, err := files.Read(ctx, strings.NewReader(requestBody(p.patient.String())))
	if err != nil {
		return err
	}
	_, err = form.PatientRequest(form.Patient())
	return err
}

func (p *parts) submission() request.Submission {
	return request.Submission{Patient: p.patient, Type: request.Medical, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "healthConcern", Answer: strings.Repeat("It hurts when I laugh. ", 36)}}}
}

func (p *parts) decide(context.Context) error {
	if refusal := p.receptions.Reception(request.Medical).Availability(clock.System()).Err(); refusal != nil {
		return refusal
	}
	_ = request.Submit(p.submission())
	return nil
}

// append also decides: it makes the call that the endpoint makes to the Desk.
func (p *parts) append(ctx context.Context) error {
	_, err := p.desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: "elm-street", Submission: p.submission(), Receptions: p.receptions})
	return err
}

func (p *parts) line() access.Call {
	id := event.NewID()
	return access.Call{RequestID: id, At: clock.System().UTC().Truncate(time.Microsecond), Tenant: "elm-street", Application: p.integrator.ID,
		Mode: application.ApplicationRestricted, Endpoint: access.CreatePatientRequest, Patient: p.patient, Status: http.StatusOK, TokenHash: sha256.Sum256(id[:])}
}

// consumers are those of the read models that follow the log and, last, the fan-out of
// webhooks.
func (p *parts) consumers() (runs []func(context.Context)) {
	db, tail := stdlib.OpenDBFromPool(p.pool), eventstore.NewTail(postgres.On(p.pool), p.codec, p.grown)
	p.b.Cleanup(func() { _ = db.Close() })
	for _, f := range projections.Following() {
		c := &eventstore.Consumer{Name: f.Name(), DB: db, Tail: tail, Handler: eventstore.Following(f), Follows: f.Follows(), Log: p.log}
		runs = append(runs, c.Run)
	}
	fanOut := webhooks.FanOut{
		Ages: webhooks.Ages{CallIn: time.Hour, Other: time.Hour}, Queued: &background.Broadcast{}, Now: clock.System, Metrics: webhooks.NewMetrics(prometheus.NewRegistry(), clock.System),
	}
	c := &eventstore.Consumer{Name: webhooks.FanOutName, DB: db, Tail: tail, Handler: fanOut.Handle, Alone: fanOut.HandleAlone, Follows: fanOut.Follows(), Log: p.log}
	return append(runs, c.Run)
}

// submit appends n requests at once.
func (p *parts) submit(ctx context.Context, n int, _ bool) error {
	var changes []event.Change
	for range n {
		stream := request.StreamOf("elm-street", request.ID{UUID: event.NewID()})
		changes = append(changes, event.Change{Stream: stream, Events: request.Submit(p.submission())})
	}
	_, err := p.desk.Store.Append(ctx, changes...)
	return err
}

// startAll runs tasks until they are stopped.
func startAll(b *testing.B, tasks ...func(context.Context)) (stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	var group sync.WaitGroup
	for _, run := range tasks {
		group.Go(func() { run(ctx) })
	}
	return func() { cancel(); group.Wait() }
}

// The pace of appends that a part follows, in groups as 16 clients make them.
const (
	together = 8
	every    = 8 * time.Millisecond
	during   = 2 * time.Second // Postgres's CPU is known by hundredths of a second
)

// behind reports the CPU that tasks add to work that is done at a pace.
func (p *parts) behind(b *testing.B, do func(ctx context.Context, n int, with bool) error, tasks ...func(context.Context)) {
	b.Helper()
	turn := func(with bool) (program, cluster float64) {
		if with {
			defer startAll(b, tasks...)()
		}
		p.quiet(b)
		fromProgram, fromCluster, begun, done := benchtest.OwnCPU(), benchtest.ClusterCPU(p.cluster), clock.Start(), 0
		pace := time.NewTicker(every)
		defer pace.Stop()
		for ; begun.Elapsed() < during; done += together {
			<-pace.C
			must(b, do(b.Context(), together, with))
		}
		each := func(used time.Duration) float64 { return float64(used.Nanoseconds()) / 1000 / float64(done) }
		return each(benchtest.OwnCPU() - fromProgram), each(benchtest.ClusterCPU(p.cluster) - fromCluster)
	}
	var program, cluster []float64
	turns := 9
	if testing.Short() {
		turns = 3
	}
	for range turns {
		var used [2][2]float64 // without and with, of program and cluster
		for _, with := range rand.Perm(2) {
			used[with][0], used[with][1] = turn(with == 1)
		}
		program, cluster = append(program, used[1][0]-used[0][0]), append(cluster, used[1][1]-used[0][1])
	}
	b.ReportMetric(benchtest.Quantile(program, 0.5), "µs-program")
	b.ReportMetric(benchtest.Quantile(cluster, 0.5), "µs-cluster")
	b.ReportMetric(0, "ns/op")
}

// quiet waits until tasks that have just started have caught up, and Postgres is nearly idle.
// Turns without them also wait: a rested machine is quicker.
func (p *parts) quiet(b *testing.B) {
	b.Helper()
	clocktest.Eventually(b, func() bool {
		from := benchtest.ClusterCPU(p.cluster)
		time.Sleep(300 * time.Millisecond)
		return benchtest.ClusterCPU(p.cluster)-from <= 10*time.Millisecond
	}, "what follows has caught up")
}
