package tampering_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/witness"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// size is how many leaves the tree of Elm Street has, at the moments that count, and how
// many notes are written at Oak Lane.
type size struct{ witnessed, kept, signed, all, oak int64 }

// elm is the tree that is attacked.
var elm = proof.Tree{Tenant: "elm", Kind: proof.Events}

// service is the name of the service's key.
const service = "api.example"

var masterKey = sealing.MasterKey{1}

// world is a service with a history, its operators, and an attacker with every right over its
// database.
type world struct {
	t         *testing.T
	size      size
	engine    *app.Engine
	ctx       context.Context //nolint:containedctx // names who acts
	pool      *pgxpool.Pool   // as the serving role
	attacker  *pgxpool.Pool   // a superuser, with triggers off
	url       string          // as that superuser
	ann, bob  patient.ID
	carl      patient.ID // at Oak Lane
	key       notary.Key
	signed    notebook // of the service's signer
	signer    *notary.Signer
	trusts    proof.Policy
	witness   *witness.Witness
	witnessed notebook
	cosigned  notebook  // of the witness during one attack
	now       time.Time // of the witness
	salt      *proof.Salt
	kept      verification.Kept
	note      []byte // which is that
	grown     int64  // events of Elm Street
}

// noon is when everything happens.
func noon() time.Time { return commandtest.Noon }

func newWorld(t *testing.T, s size) *world {
	t.Helper()
	db := postgrestest.New(t)
	w := &world{t: t, size: s, now: noon(), pool: db.Pool(t), signed: notebook{}, url: db.SuperuserURL}
	w.attacker = must(postgres.NewPool(t.Context(), db.SuperuserURL+"&session_replication_role=replica", 0))(t)
	t.Cleanup(w.attacker.Close)
	w.engine = must(app.Open(t.Context(), app.Config{DatabaseURL: db.URL, MasterKeys: sealing.NewRing(masterKey), Now: noon}))(t)
	t.Cleanup(w.engine.Close)
	w.ctx = event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("frontdesk_app", "desk")})
	w.key = must(notary.ParseKey(must(notary.MakeKey(service, proof.Salt{1}))(t)))(t)
	w.salt = &w.key.Salt
	w.trusts = must(proof.NewPolicy(w.key.Verifier, nil, 0))(t)
	w.signer = w.newSigner(w.signed, false)
	w.found()
	w.write(s.witnessed - w.grown)
	w.sign()
	w.newWitness()
	w.witnessed = notebook{}
	w.check(w.cosign(w.witnessed, 0))
	w.write(s.kept - w.grown)
	w.sign()
	w.kept.Name = "kept.note"
	w.kept.Checkpoint, w.note = w.published(elm)
	w.write(s.signed - w.grown)
	w.sign()
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
	w.carl = must(desk.RegisterPatient(w.ctx, commands.RegisterPatient{Tenant: "oak", Name: "Carl Cole"}))(w.t)
	for range w.size.oak {
		must(desk.CreateNote(w.ctx, commands.CreateNote{Tenant: "oak", Patient: w.carl, Text: "a rash"}))(w.t)
	}
	must(desk.RegisterApplication(w.ctx, commands.RegisterApplication{
		Name: "Referrals", JWKSURL: "https://app.example/jwks.json", Callbacks: []string{"https://app.example/cb"},
	}))(w.t)
	w.grown = 3 // the practice and its patients
}

// write has notes written at Elm Street, and calls recorded.
func (w *world) write(events int64) {
	w.t.Helper()
	for n := range events {
		_, err := w.engine.Desk.CreateNote(w.ctx, commands.CreateNote{Tenant: "elm", Patient: []patient.ID{w.ann, w.bob}[n%2], Text: "a cough"})
		w.check(err)
	}
	w.call()
	w.grown += events
	w.check(w.engine.Drain(w.ctx))
}

// call records three calls at Elm Street, for a person whose name is sealed.
func (w *world) call() {
	recorder := accesslog.NewRecorder(w.pool, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	recorder.Keys = w.engine.Auditor.Keys
	for range 3 {
		recorder.Record(access.Call{
			RequestID: event.NewID(), At: noon(), Tenant: "elm", Application: application.ID{UUID: uuid.New()},
			Mode: application.ApplicationRestricted, Endpoint: access.CreateNote, Status: 200,
			Act: &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Lee"}},
		})
	}
	ended, cancel := context.WithCancel(w.ctx)
	cancel()
	recorder.Run(ended) // writes the queue
}

// prove lets the prover come to the end of the log.
func (w *world) prove() {
	w.t.Helper()
	prover := proving.NewProver(w.pool, &background.Broadcast{}, slog.New(slog.DiscardHandler))
	for more := true; more; {
		more = must(prover.Prove(w.ctx))(w.t)
	}
}

func (w *world) trees() proving.Trees { return proving.Trees{DB: w.pool} }

// sign proves the log and has the service's signer sign it.
func (w *world) sign() {
	w.t.Helper()
	w.prove()
	for _, problem := range w.signer.Round(w.ctx) {
		w.t.Fatal(problem)
	}
}

// publish publishes a checkpoint of each tree, as the prover's tables have it, with the key
// that was stolen.
func (w *world) publish() {
	w.t.Helper()
	for of, size := range must(w.trees().Sizes(w.ctx))(w.t) {
		origin := proof.Origin{Name: service, Log: w.key.Salt.Log(of), Epoch: 1}
		c := proof.Checkpoint{Origin: origin, Size: size, Root: must(w.trees().Root(w.ctx, of, size))(w.t)}
		w.forge(`DELETE FROM checkpoints WHERE tenant = $1 AND kind = $2`, of.Tenant, of.Kind)
		w.forge(`INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ($1, $2, 1, $5, $3, $4, now())`,
			of.Tenant, of.Kind, size, string(must(c.Sign(w.key))(w.t)), noon())
	}
}

// published returns the newest checkpoint of a tree.
func (w *world) published(of proof.Tree) (proof.Checkpoint, []byte) {
	w.t.Helper()
	var text string
	w.check(w.pool.QueryRow(w.ctx, `SELECT note FROM checkpoints WHERE tenant = $1 AND kind = $2 ORDER BY epoch DESC, day DESC LIMIT 1`, of.Tenant, of.Kind).Scan(&text))
	return must(w.trusts.Open([]byte(text)))(w.t), []byte(text)
}

func (w *world) origin(of proof.Tree) proof.Origin {
	w.t.Helper()
	c, _ := w.published(of)
	return c.Origin
}

// verify runs frontdesk audit verify --database-url.
func (w *world) verify(kept ...verification.Kept) verification.Result {
	w.t.Helper()
	keys := &keyring.Keyring{DB: postgres.On(w.pool), Codec: w.engine.Log.Codec, Masters: sealing.NewRing(masterKey)} // with an empty cache
	w.check(keys.Start(w.ctx))
	v := verification.Verification{DB: keys.DB, Log: w.engine.Log, Keys: keys, Trusts: &w.trusts, Salt: w.salt, Notes: kept}
	return must(v.Run(w.ctx))(w.t)
}

// attacked are the tables that an attack may change.
var attacked = []string{
	"events", "log", "sequencer", "old_gaps", "trees", "tree_tail", "tree_tiles", "prover", "checkpoints", "personal_keys", "erasures", "staff_passwords",
	"access_log", "access_head", "access_waiting", "access_record", "archived_trees",
}

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
