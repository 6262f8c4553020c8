package features_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// TestStorageHoldsNoPersonalData enters a word into every personal field of an event or
// a call, and searches all storage of the program and Postgres: tables, the files of
// the cluster with the write-ahead log, a dump, the program's log, metrics, the
// broker's messages and its files.
//
// Names of staff and of their passkeys are in clear on purpose, so the search must find
// them: otherwise it would prove nothing.
func TestStorageHoldsNoPersonalData(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	k.appendEverything()
	k.callEverything()
	k.deskEverything()
	k.comeToRest()

	tables := k.tables()
	for table, rows := range tables {
		k.none("the table "+table, rows, k.words, mayHold[table])
	}
	k.every("the tables of staff", slices.Concat(tables["staff"], tables["staff_passkeys"]))
	for place, kept := range map[string][]byte{"a file of the cluster": k.files(), "a dump": k.dump()} {
		k.none(place, kept, k.words, "")
		k.every(place, kept)
	}
	for place, kept := range map[string][]byte{
		"the program's log": k.log.bytes(), "the metrics": k.metrics(), "the broker's messages": k.relayed(), "a file of the broker": k.stored(),
	} {
		k.none(place, kept, k.words, "")
		k.none(place, kept, k.staff, "")
		if len(kept) == 0 {
			t.Errorf("%s is empty", place)
		}
	}
}

// mayHold is the clear text that a table may hold: the digests of bodies stay there
// for a day.
var mayHold = map[string]string{"answers": "Idempotency.Body"}

// keeping is a program with a cluster of its own.
type keeping struct {
	*entered
	*world
	db     *pgx.Conn // as superuser
	owner  string    // URL
	broker *brokertest.Server
	log    *said
}

// said is a log that several goroutines write.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.text.Bytes())
}

func newKeeping(t *testing.T) *keeping {
	t.Helper()
	server := postgrestest.Cluster(t)
	db := &postgrestest.Database{URL: server.URL("frontdesk", postgres.AppRole), SuperuserURL: server.URL("frontdesk", embedded.Superuser)}
	k := &keeping{entered: newEntered(), owner: server.URL("frontdesk", embedded.Owner), broker: brokertest.New(t), log: &said{}}
	k.world = newWorld(startProgram(t, db, func(c *app.Config) {
		c.PrivateListen = "127.0.0.1:0"
		c.Broker, c.BrokerStreams = broker.Server{URLs: []string{k.broker.URL()}}, broker.Streams{Replicas: 1}
		c.Log = slog.New(slog.NewJSONHandler(k.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}))
	t.Cleanup(k.end)
	var err error
	k.db, err = pgx.Connect(t.Context(), db.SuperuserURL)
	k.must(err)
	t.Cleanup(func() { _ = k.db.Close(context.WithoutCancel(t.Context())) })
	return k
}

func (k *keeping) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// appendEverything appends an event of every type that has a personal field, with words
// also in its metadata.
func (k *keeping) appendEverything() {
	k.t.Helper()
	k.must(k.aPractice("Elm Street"))
	registered := patient.Registered{}
	others := slices.DeleteFunc(domain.Events(), func(e event.Event) bool { return e.EventName() == registered.EventName() })
	for _, empty := range append([]event.Event{registered}, others...) {
		if v, words := k.of(reflect.TypeOf(empty)); words > 0 {
			k.append(v.Interface().(event.Event))
		}
	}
	if len(k.words) < 20 {
		k.t.Fatalf("only %v are entered", k.words)
	}
}

func (k *keeping) append(e event.Event) {
	k.t.Helper()
	stream := event.Stream{Tenant: k.tenant(k.practice), ID: uuid.New()}
	switch e := e.(type) {
	case patient.Registered:
		k.about = e.Patient
	case request.Submitted:
		for _, a := range e.Attachments {
			k.must(k.Uploads.AddChunk(k.ctx, stream.Tenant, a.ID, 0, []byte("sealed")))
		}
	}
	filled, _ := k.of(reflect.TypeFor[event.Metadata]())
	metadata := filled.Interface().(event.Metadata)
	if _, about := e.(event.Patient); !about {
		metadata.Idempotency = event.Idempotency{} // calls cause events about patients, and about applications, which have no personal field
	}
	store := k.Desk.Store
	switch erased := e.(type) {
	case patient.Erased:
		var err error // another one than that of the other events
		erased.Patient, err = k.Desk.RegisterPatient(k.ctx, commands.RegisterPatient{Tenant: stream.Tenant, Name: "Cleo Cole"})
		k.must(err)
		erased.Done = doneAgain(erased.Done, event.OfPatient, erased.Patient.UUID)
		k.must(k.db.QueryRow(k.ctx, `SELECT encode(fingerprint, 'hex') FROM personal_keys WHERE kind = 1 AND holder = $1`, erased.Patient).Scan(&erased.Keys[0].Fingerprint))
		e, store = erased, k.ownersStore()
	case staff.Erased:
		erased.Done = doneAgain(erased.Done, event.OfStaff, stream.ID)
		e, store = erased, k.ownersStore()
	case practitioner.Erased:
		erased.Done = doneAgain(erased.Done, event.OfPractitioner, erased.Practitioner.UUID)
		e, store = erased, k.ownersStore()
	}
	if _, err := store.Append(event.WithMetadata(k.ctx, metadata), event.Change{Stream: stream, Events: []event.Event{e}}); err != nil {
		k.t.Fatalf("%s: %v", e.EventName(), err)
	}
}

// doneAgain returns an erasure as the owner applies it after a restore, of a person without
// a key.
func doneAgain(done erasure.Done, kind event.HolderKind, holder uuid.UUID) erasure.Done {
	done.Basis, done.Keys = erasure.Restored, []erasure.Key{{Kind: kind, Holder: holder}}
	return done
}

// ownersStore returns a store of the database's owner.
func (k *keeping) ownersStore() commands.Store {
	k.t.Helper()
	serving, is := k.Desk.Store.(*eventstore.Store)
	if !is {
		k.t.Fatalf("the store is a %T", k.Desk.Store)
	}
	pool, err := postgres.NewPool(k.ctx, k.owner, 1)
	k.must(err)
	k.t.Cleanup(pool.Close)
	return &eventstore.Store{DB: postgres.On(pool), Codec: serving.Codec, Keys: serving.Keys, AtOnce: serving.AtOnce, Now: serving.Now}
}

// callEverything makes calls, valid and invalid, with personal data in every possible
// place.
func (k *keeping) callEverything() {
	k.t.Helper()
	name := k.word("a patient's name")
	k.must(k.anApplication("Chart"))
	k.must(k.grantedEverything("Chart"))
	k.must(k.enabled("Chart"))
	k.must(k.aPatient(name))
	file := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(k.word("a file's content")+" ", 20_000)))
	for path, body := range map[string]string{
		submitPath: fmt.Sprintf(`{"patientId": "<%s>", "requestType": "medical", "requester": "proxy",
			"proxyDetails": {"firstName": %q, "lastName": %q, "relationshipToPatient": %q},
			"response": [{"question": "healthConcern", "answer": %q}],
			"attachments": [{"fileName": %q, "contentType": "image/png", "data": %q}]}`, name,
			k.word("a proxy's first name"), k.word("a proxy's last name"), k.word("a relationship"),
			k.word("an answer"), k.word("a file's name"), file),
		"/transactional-api/create-note": fmt.Sprintf(`{"patientId": "<%s>", "note": %q}`, name, k.word("a note")),
	} {
		unknown := strings.Replace(body, "{", `{"`+k.word("a member")+`": `+strconv.Quote(k.word("an unknown value"))+`,`, 1)
		k.expect(http.MethodPost, path, body, http.StatusOK)
		k.expect(http.MethodPost, path, unknown, http.StatusOK)
		k.expect(http.MethodPost, path, body[:len(body)-1], http.StatusBadRequest)
		k.expect(http.MethodPost, path, strings.Replace(body, "<"+name+">", k.word("an identifier"), 1), http.StatusBadRequest)
	}
	k.expect(http.MethodGet, "/transactional-api/retrieve-care-record?patientId=<"+name+">", "", http.StatusOK)
	k.expect(http.MethodGet, "/transactional-api/retrieve-care-record?patientId="+k.word("an identifier in a query"), "", http.StatusBadRequest)
	k.expect(http.MethodGet, "/transactional-api/"+k.word("an address"), "", http.StatusNotFound)
	k.must(k.browser("somebody").fill("sign-in", "sign-in",
		url.Values{"username": {k.word("an unknown username")}, "password": {k.word("a password")}}))
}

// expect makes a call for a practitioner, and checks its status.
func (k *keeping) expect(method, path, body string, status int) {
	k.t.Helper()
	k.token = []bearertest.Edit{bearertest.Claim("act", map[string]any{
		"practitioner": map[string]any{"name": k.word("a practitioner's name"), "email": k.word("their e-mail") + "@elm.example"},
		"organisation": map[string]any{"name": "Oak Lane"},
	})}
	headers := http.Header{"Idempotency-Key": {k.word("an idempotency key")}, "Content-Type": {"application/json"}}
	k.must(k.call("Chart", method, path, k.filled(body), headers))
	k.must(k.answerIs(status))
}

// comeToRest waits until the read models and the access record are up to date.
func (k *keeping) comeToRest() {
	k.t.Helper()
	k.must(k.pings("Chart"))
	_, err := k.recorded(k.lastRequest())
	k.must(err)
	k.must(k.Drain(k.ctx))
	clocktest.Eventually(k.t, func() (rest bool) {
		k.must(k.db.QueryRow(k.ctx, `SELECT bool_and(idx >= (SELECT max(idx) FROM log)) FROM feed_offsets`).Scan(&rest))
		return rest
	}, "the read models to have every event")
}
