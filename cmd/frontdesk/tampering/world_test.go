package tampering_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// size is how many leaves the tree of Elm Street has, at the moments that count.
type size struct{ witnessed, kept, signed, all int64 }

// elm is the tree that is attacked.
var elm = proof.Tree{Tenant: "elm", Kind: proof.Events}

// service is the name of the service's key.
const service = "api.example"

// world is a service with a history, those who look after it, and somebody who has every
// right over its database.
type world struct {
	t        *testing.T
	size     size
	engine   *app.Engine
	ctx      context.Context //nolint:containedctx // names who acts
	pool     *pgxpool.Pool   // as the serving role
	attacker *pgxpool.Pool   // a superuser, with triggers off
	ann, bob patient.ID
	key      note.Signer
	trusts   proof.Policy
	logs     map[proof.Tree]uuid.UUID
	kept     verification.Kept
	grown    int64 // events of Elm Street
}

func newWorld(t *testing.T, s size) *world {
	t.Helper()
	db := postgrestest.New(t)
	w := &world{t: t, size: s, pool: db.Pool(t), logs: map[proof.Tree]uuid.UUID{}}
	w.attacker = must(postgres.NewPool(t.Context(), db.SuperuserURL+"&session_replication_role=replica", 0))(t)
	t.Cleanup(w.attacker.Close)
	w.engine = must(app.Open(t.Context(), app.Config{DatabaseURL: db.URL, MasterKey: sealing.MasterKey{1}}))(t)
	t.Cleanup(w.engine.Close)
	w.ctx = event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("frontdesk_app", "desk")})
	w.makeKeys()
	w.found()
	w.write(s.witnessed - w.grown)
	w.publish()
	w.write(s.kept - w.grown)
	w.publish()
	w.kept = verification.Kept{Name: "kept.note", Checkpoint: w.published()}
	w.write(s.signed - w.grown)
	w.publish()
	w.write(s.all - w.grown)
	w.prove()
	w.save()
	return w
}

// must fails the test at an error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) makeKeys() {
	w.t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, service)
	w.check(err)
	w.key = must(note.NewSigner(private))(w.t)
	w.trusts = proof.Policy{Key: must(note.NewVerifier(public))(w.t)}
}

// found registers two practices and their patients.
func (w *world) found() {
	w.t.Helper()
	desk := w.engine.Desk
	for _, tenant := range []string{"elm", "oak"} {
		w.check(desk.RegisterPractice(w.ctx, commands.RegisterPractice{Tenant: tenant, Name: strings.ToUpper(tenant)}))
	}
	for _, into := range []*patient.ID{&w.ann, &w.bob} {
		*into = must(desk.RegisterPatient(w.ctx, commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"}))(w.t)
	}
	must(desk.RegisterPatient(w.ctx, commands.RegisterPatient{Tenant: "oak", Name: "Carl Cole"}))(w.t)
	must(desk.RegisterApplication(w.ctx, commands.RegisterApplication{
		Name: "Referrals", JWKSURL: "https://app.example/jwks.json", Callbacks: []string{"https://app.example/cb"},
	}))(w.t)
	w.grown = 3 // the practice and its patients
}

// write has notes written at Elm Street.
func (w *world) write(events int64) {
	w.t.Helper()
	for n := range events {
		_, err := w.engine.Desk.CreateNote(w.ctx, commands.CreateNote{Tenant: "elm", Patient: []patient.ID{w.ann, w.bob}[n%2], Text: "a cough"})
		w.check(err)
	}
	w.grown += events
	w.check(w.engine.Drain(w.ctx))
}

// prove lets the prover come to the end of the log.
func (w *world) prove() {
	w.t.Helper()
	prover := proving.NewProver(w.pool, &postgres.Bell{}, slog.New(slog.DiscardHandler))
	for more := true; more; {
		more = must(prover.Prove(w.ctx))(w.t)
	}
}

func (w *world) trees() proving.Trees { return proving.Trees{DB: w.pool} }

// publish proves the log and publishes a checkpoint of each tree, signed with the
// service's key, in the place of today's.
func (w *world) publish() {
	w.t.Helper()
	w.prove()
	for of := range must(w.trees().Sizes(w.ctx))(w.t) {
		c := w.checkpoint(of)
		_, err := w.attacker.Exec(w.ctx, `INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ($1, $2, 1, '2026-11-22', $3, $4, now())
			ON CONFLICT (tenant, kind, epoch, day) DO UPDATE SET size = excluded.size, note = excluded.note`,
			of.Tenant, of.Kind, c.Size, string(must(c.Sign(w.key))(w.t)))
		w.check(err)
	}
}

// checkpoint returns that of a tree as the prover's tables have it.
func (w *world) checkpoint(of proof.Tree) proof.Checkpoint {
	w.t.Helper()
	if w.logs[of] == uuid.Nil {
		w.logs[of] = uuid.New()
	}
	size := must(w.trees().Size(w.ctx, of))(w.t)
	return proof.Checkpoint{
		Origin: proof.Origin{Name: service, Log: w.logs[of], Epoch: 1},
		Size:   size, Root: must(w.trees().Root(w.ctx, of, size))(w.t),
	}
}

// published returns the newest checkpoint of Elm Street.
func (w *world) published() proof.Checkpoint {
	w.t.Helper()
	var text string
	w.check(w.pool.QueryRow(w.ctx, `SELECT note FROM checkpoints WHERE tenant = 'elm' AND kind = 1 ORDER BY epoch DESC, day DESC LIMIT 1`).Scan(&text))
	return must(w.trusts.Open([]byte(text)))(w.t)
}

// verify does what frontdesk audit verify --database-url does.
func (w *world) verify(kept ...verification.Kept) verification.Result {
	w.t.Helper()
	v := verification.Verification{DB: postgres.On(w.pool), Log: w.engine.Log, Keys: w.engine.Auditor.Keys, Trusts: &w.trusts, Notes: kept}
	return must(v.Run(w.ctx))(w.t)
}

// attacked are the tables that an attack may change.
var attacked = []string{"events", "log", "sequencer", "old_gaps", "trees", "tree_tail", "tree_tiles", "prover", "checkpoints", "personal_keys", "erasures"}

func (w *world) save() {
	w.t.Helper()
	w.forge(`CREATE SCHEMA saved`)
	for _, table := range attacked {
		w.forge(`CREATE TABLE saved.` + table + ` AS TABLE ` + table)
	}
}

// restore undoes an attack.
func (w *world) restore() {
	w.t.Helper()
	for _, table := range attacked {
		w.forge(`DELETE FROM ` + table)
		w.forge(`INSERT INTO ` + table + ` OVERRIDING SYSTEM VALUE SELECT * FROM saved.` + table)
	}
}

// forge does something as the attacker.
func (w *world) forge(sql string, args ...any) {
	w.t.Helper()
	_, err := w.attacker.Exec(w.ctx, sql, args...)
	w.check(err)
}
