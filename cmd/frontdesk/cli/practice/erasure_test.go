package practice_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// archive is a practice whose patients can be forgotten, and two operators with roles of
// their own.
type archive struct {
	db         *postgrestest.Database
	alice, bob string // URLs
	ann        patient.ID
	ledger     string
}

var archiveKey = sealing.MasterKey{7}

func newArchive(t *testing.T) *archive {
	t.Helper()
	db := postgrestest.New(t)
	a := &archive{db: db, ledger: filepath.Join(t.TempDir(), "erasures")}
	a.alice, a.bob = a.role(t, "alice"), a.role(t, "bob")
	a.before(t, 49*time.Hour, func(ctx context.Context, desk commands.Desk) error {
		if err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm"}); err != nil {
			return err
		}
		var err error
		a.ann, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"})
		return err
	})
	return a
}

// role returns the URL of an operator with a role of their own, for as long as the test runs.
func (a *archive) role(t *testing.T, name string) string {
	t.Helper()
	super := a.db.SuperuserPool(t)
	name += "_" + strings.ReplaceAll(uuid.NewString(), "-", "") // roles belong to the whole cluster
	if _, err := super.Exec(t.Context(), `CREATE ROLE `+name+` LOGIN IN ROLE frontdesk_app`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = super.Exec(context.WithoutCancel(t.Context()), `DROP ROLE `+name) })
	return clitest.AsRole(t, a.db.URL, name)
}

// before does something as it was done some time ago, by alice.
func (a *archive) before(t *testing.T, ago time.Duration, do func(context.Context, commands.Desk) error) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{
		DatabaseURL: a.alice, MasterKeys: sealing.NewRing(archiveKey), Now: func() time.Time { return clock.System().Add(-ago) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	who, err := engine.Operator(t.Context(), "alice@desk7")
	if err != nil {
		t.Fatal(err)
	}
	if err := do(event.WithMetadata(t.Context(), event.Metadata{Actor: who}), engine.Desk); err != nil {
		t.Fatal(err)
	}
}

// askedBefore returns the identifier of an erasure that alice has asked for two days ago.
func (a *archive) askedBefore(t *testing.T) (id string) {
	t.Helper()
	a.before(t, 48*time.Hour, func(ctx context.Context, desk commands.Desk) error {
		asked, err := desk.ErasePatient(ctx, commands.ErasePatient{Tenant: "elm", Patient: a.ann, Basis: erasure.CourtOrder, Reason: "an order"})
		id = asked.Erasure.String()
		return err
	})
	a.db.PassClock(t, 48*time.Hour)
	return id
}

func (a *archive) about(args ...string) []string {
	return append(args, "--tenant=elm", "--patient="+a.ann.String())
}

func typedAt(t *testing.T, url string, args ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, append(args, "--database-url", url)...)
}

func TestAnErasureTakesTwoSessionUsers_D70(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	asked := typedAt(t, a.alice, a.about("erasure", "request-patient", "--basis=retention-ended", "--reason=ten years", "--json")...)
	asked.WantSuccess(t)
	var printed struct {
		ErasureID   string
		PatientID   string
		Events      int
		Files, Rows *int
		ConfirmFrom time.Time
	}
	if err := json.Unmarshal([]byte(asked.Out), &printed); err != nil {
		t.Fatal(err)
	}
	if printed.PatientID != a.ann.String() || printed.Events != 1 || printed.Files == nil || *printed.Rows != 1 || printed.ConfirmFrom.Sub(clock.System()) < 23*time.Hour {
		t.Errorf("printed %s", asked.Out)
	}
	confirm := a.about("erasure", "confirm", "--erasure="+printed.ErasureID)
	typedAt(t, a.alice, confirm...).WantFailure(t, 1, "erasure-same-person")
	typedAt(t, a.bob, confirm...).WantFailure(t, 1, "erasure-too-soon")
	held := typedAt(t, a.bob, a.about("erasure", "hold", "--reason=a claim", "--json")...)
	held.WantSuccess(t)
	typedAt(t, a.bob, confirm...).WantFailure(t, 1, "erasure-held")
	var hold struct{ HoldID string }
	if err := json.Unmarshal([]byte(held.Out), &hold); err != nil {
		t.Fatal(err)
	}
	typedAt(t, a.alice, a.about("erasure", "lift-hold", "--hold="+hold.HoldID, "--reason=settled")...).WantSuccess(t)
	typedAt(t, a.bob, a.about("erasure", "withdraw", "--erasure="+printed.ErasureID, "--reason=the wrong person")...).WantSuccess(t)
	typedAt(t, a.bob, confirm...).WantFailure(t, 1, "erasure-not-requested")
	typedAt(t, a.alice, a.about("erasure", "request-patient", "--basis=tidiness", "--reason=x")...).WantFailure(t, 2, "--basis")
	typedAt(t, a.bob, "erasure", "confirm", "--tenant=elm", "--erasure="+printed.ErasureID).WantFailure(t, 2, "--patient")
}

func TestAnErasureIsInTheLedgerBeforeItIsSaid_D71(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	id := a.askedBefore(t)
	confirm := a.about("erasure", "confirm", "--erasure="+id, "--erasure-ledger="+a.ledger)
	unwritable := a.about("erasure", "confirm", "--erasure="+id, "--erasure-ledger="+filepath.Join(a.ledger, "no", "such", "folder"))
	typedAt(t, a.bob, unwritable...).WantFailure(t, 1, "the erasure is done, but it is not in the ledger yet")

	again := typedAt(t, a.bob, confirm...)
	again.WantSuccess(t)
	if !strings.Contains(again.Out, "nothing to change") {
		t.Errorf("printed %s", again.Out)
	}
	text, err := os.ReadFile(a.ledger)
	if err != nil {
		t.Fatal(err)
	}
	var line erasure.Line
	if err := json.Unmarshal(text, &line); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if line.Tenant != "elm" || line.Holder != a.ann.UUID || line.Idx < 3 || len(line.Fingerprints) != 1 || len(line.Fingerprints[0]) != 32 {
		t.Errorf("the ledger says %s", text)
	}
	typedAt(t, a.bob, confirm...).WantSuccess(t)
	if same, err := os.ReadFile(a.ledger); err != nil || string(same) != string(text) {
		t.Errorf("noted twice: %s", same)
	}
	typedAt(t, a.bob, a.about("patient", "restrict-record")...).WantFailure(t, 1, "patient-not-found")
	typedAt(t, a.bob, a.about("erasure", "hold", "--reason=x")...).WantFailure(t, 1, "patient-not-found")
	typedAt(t, a.bob, a.about("erasure", "request-patient", "--basis=court-order", "--reason=x")...).WantFailure(t, 1, "patient-not-found")
	typedAt(t, a.bob, a.about("erasure", "confirm", "--erasure="+uuid.NewString())...).WantFailure(t, 1, "patient-not-found")
}

// serve tries to serve a database, and returns the outcome.
func (a *archive) serve(t *testing.T, url string) clitest.Outcome {
	t.Helper()
	return typedAt(t, url, "serve", "--listen=127.0.0.1:99999", "--api-domain=api.example", "--auth-url=https://auth.example",
		"--private-listen=127.0.0.1:0", "--erasure-ledger="+a.ledger, "--master-key="+base64.StdEncoding.EncodeToString(archiveKey[:]))
}

// wouldServe fails unless everything was right but the port, which is none.
func (a *archive) wouldServe(t *testing.T, url string) {
	t.Helper()
	if o := a.serve(t, url); !strings.Contains(o.Err, "99999") || strings.Contains(o.Err, "reapply") {
		t.Errorf("it would not serve: %s", o.Err)
	}
}

// A backup of before the erasure holds the patient and the key.
func TestRestoredBackupIsServedAfterReappliedErasures_D71(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	id := a.askedBefore(t)
	restored := a.copied(t)
	typedAt(t, a.bob, a.about("erasure", "confirm", "--erasure="+id)...).WantSuccess(t)
	a.wouldServe(t, a.db.URL) // it would serve, and has noted the missing erasures in the ledger
	if text, err := os.ReadFile(a.ledger); err != nil || !strings.Contains(string(text), a.ann.String()) {
		t.Fatalf("the ledger says %s, %v", text, err)
	}
	a.serve(t, restored).WantFailure(t, 1, "restored from an older backup", "frontdesk erasure reapply")
	typedAt(t, restored, "erasure", "reapply", underArchiveKey, "--erasure-ledger="+a.ledger).WantFailure(t, 1, "run this as the owner of the database")
	for _, want := range []string{"erased: 1\nappended patient.erased.v1\n", "erased: 0\nnothing to change\n"} {
		o := typedAt(t, clitest.AsRole(t, restored, embedded.Owner), "erasure", "reapply", underArchiveKey, "--erasure-ledger="+a.ledger)
		o.WantSuccess(t)
		if o.Out != want {
			t.Errorf("printed %s", o.Out)
		}
	}
	a.wouldServe(t, restored)
	typedAt(t, restored, a.about("patient", "restrict-record")...).WantFailure(t, 1, "patient-not-found")
}

func TestErasureRequestsAreListed_D90(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	list := func(flags ...string) clitest.Outcome {
		t.Helper()
		o := typedAt(t, a.alice, append([]string{"erasure", "list-requests", "--tenant=elm"}, flags...)...)
		o.WantSuccess(t)
		return o
	}
	if o := list("--json"); o.Out != "" {
		t.Errorf("before the request: %s", o.Out)
	}
	clitest.Serving(t, "--database-url", a.db.URL, underArchiveKey, "--erasure-ledger="+a.ledger)
	asked := typedAt(t, a.alice, a.about("erasure", "request-patient", "--basis=retention-ended", "--reason=ten years", "--json")...)
	asked.WantSuccess(t)
	request := asked.Lines(t)[0]
	clocktest.Eventually(t, func() bool { return list("--json").Out != "" }, "the list lacks the request")
	listed := list("--json").Lines(t)
	if len(listed) != 1 || listed[0]["patientId"] != a.ann.String() || listed[0]["requestedBy"] != "operator" {
		t.Fatalf("printed %v", listed)
	}
	for _, member := range []string{"erasureId", "confirmFrom", "confirmUntil"} {
		if listed[0][member] == nil || listed[0][member] != request[member] {
			t.Errorf("%s is %v, was printed as %v", member, listed[0][member], request[member])
		}
	}
	id := fmt.Sprint(request["erasureId"])
	if o := list(); !strings.Contains(o.Out, "CONFIRM FROM") || !strings.Contains(o.Out, id) {
		t.Errorf("printed\n%s", o.Out)
	}
	clocktest.Eventually(t, func() bool {
		read := typedAt(t, a.db.URL, "audit", "log", "--json", "--event", "audit.queried").Out
		return strings.Contains(read, `"list-erasure-requests"`)
	}, "the log lacks the reading of the list")
	typedAt(t, a.alice, a.about("erasure", "withdraw", "--erasure="+id, "--reason=a mistake")...).WantSuccess(t)
	clocktest.Eventually(t, func() bool { return list("--json").Out == "" }, "the list has the request after its withdrawal")
	typedAt(t, a.alice, "erasure", "list-requests", "--tenant=nowhere").WantFailure(t, 1, "unknown-practice")
}

func TestErasuresAreListedWithTheirState_D136(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	id := a.askedBefore(t)
	list := func(flags ...string) clitest.Outcome {
		t.Helper()
		o := typedAt(t, a.alice, append([]string{"erasure", "list", "--tenant=elm"}, flags...)...)
		o.WantSuccess(t)
		return o
	}
	if o := list("--json"); o.Out != "" {
		t.Errorf("before the erasure: %s", o.Out)
	}
	typedAt(t, a.bob, a.about("erasure", "confirm", "--erasure="+id)...).WantSuccess(t)
	if o := list("--erasure-ledger=" + a.ledger); !strings.Contains(o.Out, a.ann.String()) || !strings.Contains(o.Out, "  no  ") || !strings.Contains(o.Out, "becomes final after") {
		t.Errorf("printed\n%s", o.Out)
	}
	a.wouldServe(t, a.db.URL) // which adds it to the ledger
	listed := list("--erasure-ledger="+a.ledger, "--json").Lines(t)
	if len(listed) != 1 || listed[0]["erasure"] != id || listed[0]["final"] != false || listed[0]["inLedger"] != true || listed[0]["basis"] != "court-order" {
		t.Errorf("printed %v", listed)
	}
	typedAt(t, a.alice, "erasure", "list", "--tenant=nowhere").WantFailure(t, 1, "unknown-practice")
}

// A table that was restored alone brings keys back, which no ledger lists.
func TestKeysThatComeBackAreDestroyedAgain_D71(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	id, super := a.askedBefore(t), a.db.SuperuserPool(t)
	do := func(sql string) {
		t.Helper()
		if _, err := super.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do(`CREATE SCHEMA kept; CREATE TABLE kept.keys AS SELECT * FROM personal_keys WHERE kind = 1`)
	typedAt(t, a.bob, a.about("erasure", "confirm", "--erasure="+id, "--erasure-ledger="+a.ledger)...).WantSuccess(t)
	do(`INSERT INTO personal_keys SELECT * FROM kept.keys`)
	a.serve(t, a.db.URL).WantFailure(t, 1, "frontdesk erasure reapply (1 of them)")
	typedAt(t, a.bob, "erasure", "reapply", underArchiveKey).WantFailure(t, 1, "run this as the owner of the database")
	o := typedAt(t, a.db.AdminURL, "erasure", "reapply", underArchiveKey)
	if o.WantSuccess(t); o.Out != "erased: 1\nnothing to change\n" {
		t.Errorf("printed %s", o.Out)
	}
	var left int
	if err := super.QueryRow(t.Context(), `SELECT count(*) FROM personal_keys WHERE kind = 1`).Scan(&left); err != nil || left > 0 {
		t.Errorf("%d keys are left, %v", left, err)
	}
	a.wouldServe(t, a.db.URL)
}

// A file that is gone with its patient is no difference, and a key that is back is one.
func TestVerifyKnowsWhoWasErased_D138(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	clitest.AsSandbox(t, a.db)
	o := clitest.FrontdeskWith(t, `{"patientId":"`+a.ann.String()+`","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"a rash"}],
		"attachments":[{"fileName":"rash.jpg","contentType":"image/jpeg","data":"YWJj"}]}`, "request", "submit", "--tenant=elm", "--file=-", "--database-url", a.bob, underArchiveKey)
	o.WantSuccess(t)
	id, super := a.askedBefore(t), a.db.SuperuserPool(t)
	do := func(sql string) {
		t.Helper()
		if _, err := super.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do(`CREATE SCHEMA kept; CREATE TABLE kept.keys AS SELECT * FROM personal_keys WHERE kind = 1`)
	typedAt(t, a.bob, a.about("erasure", "confirm", "--erasure="+id, "--erasure-ledger="+a.ledger)...).WantSuccess(t)
	verify := []string{"audit", "verify", "--files", "--deliveries", underArchiveKey}
	do(`DELETE FROM uploads WHERE NOT named`) // as the sweeper does
	o = typedAt(t, a.db.SuperuserURL, verify...)
	if o.WantSuccess(t); !strings.Contains(o.Out, "files: 0 compared, 0 of them opened; 1 are gone with their patients\n") {
		t.Errorf("it says\n%s", o.Out)
	}
	do(`INSERT INTO personal_keys SELECT * FROM kept.keys; DELETE FROM erasures`)
	o = typedAt(t, a.db.SuperuserURL, verify...)
	if o.WantFailure(t, 1, "the stored data differs"); !strings.Contains(o.Out, "DIFFERS: the key of the patient "+a.ann.String()+" at elm is back, although idx ") {
		t.Errorf("it says\n%s", o.Out)
	}
}

// underArchiveKey is the flag of the archive's master key.
var underArchiveKey = "--master-key=" + base64.StdEncoding.EncodeToString(archiveKey[:])

// copied returns the URL of a copy of the database, as a restored backup is one.
func (a *archive) copied(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(a.db.SuperuserURL)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	at.Path = "/postgres"
	admin, err := pgx.Connect(context.WithoutCancel(t.Context()), at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(t.Context())) })
	do := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Error(err)
		}
	}
	do(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '` + name + `'`) // a database is copied only while no one is connected
	do(`CREATE DATABASE "` + name + `_restored" TEMPLATE "` + name + `"`)
	t.Cleanup(func() { do(`DROP DATABASE "` + name + `_restored" WITH (FORCE)`) })
	return strings.Replace(a.db.URL, name, name+"_restored", 1)
}

func TestHelpNamesLimitsOfErasure(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"request-patient", "request-staff", "request-practitioner", "confirm"} {
		if help := clitest.Frontdesk(t, "erasure", command, "--help").Out; !strings.Contains(strings.Join(strings.Fields(help), " "), erasure.Reach) {
			t.Errorf("the help of %s lacks the sentence: %s", command, erasure.Reach)
		}
	}
}

func TestServeLooksForItsLedger(t *testing.T) {
	t.Parallel()
	warned := func(service *clitest.LogLines) bool {
		return strings.Contains(service.String(), "no erasure ledger is set")
	}
	db := postgrestest.New(t)
	without := clitest.Serving(t, "--database-url", db.URL)
	without.Line(t, "serving")
	if !warned(without) {
		t.Error("a service without a ledger does not warn")
	}
	ledger := filepath.Join(t.TempDir(), "erasures")
	with := clitest.Serving(t, "--database-url", db.URL, "--erasure-ledger", ledger)
	with.Line(t, "serving")
	if _, err := os.Stat(ledger); err != nil || warned(with) {
		t.Errorf("a service with a ledger warns, or has not made it: %v", err)
	}
}
