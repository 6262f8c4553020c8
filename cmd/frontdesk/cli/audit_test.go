package cli_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli"
)

// clinic is a database with a short history, and an auditor's way to it.
type clinic struct {
	db              *postgrestest.Database
	auditor         string // a database URL as the role that reads
	app, ann, bob   string
	before, enabled time.Time
}

func newClinic(t *testing.T) *clinic {
	t.Helper()
	c := &clinic{db: postgrestest.New(t)}
	c.auditor = asRole(t, c.db.URL, "frontdesk_audit")
	do := func(args ...string) map[string]any {
		t.Helper()
		o := frontdeskWith(t, "a cough", append(args, "--database-url", c.db.URL, "--json")...)
		if o.status != 0 {
			t.Fatalf("%v: %s", args, o.err)
		}
		return objects(t, o.out)[0]
	}
	do("register-practice", "--tenant=elm", "--name=Elm Street")
	do("register-practice", "--tenant=oak", "--name=Oak Lane")
	do("register-staff", "--tenant=elm", "--username=dr.lee", "--name=Dr Lee", "--email=lee@elm.example")
	c.app = do("register-application", "--name=Referrals", "--jwks-url=https://app.example/jwks.json", "--callback=https://app.example/cb")["applicationId"].(string)
	c.ann = do("register-patient", "--tenant=elm", "--name=Ann Archer")["patientId"].(string)
	c.bob = do("register-patient", "--tenant=elm", "--name=Bob Baker")["patientId"].(string)
	do("grant-endpoint", "--application", c.app, "--endpoint=create-note", "--mode=user-restricted")
	c.before = time.Now()
	do("enable-application", "--tenant=elm", "--application", c.app, "--as=dr.lee")
	do("grant-user-authorisation", "--tenant=elm", "--application", c.app, "--username=dr.lee")
	c.enabled = time.Now()
	do("restrict-patient-record", "--tenant=elm", "--patient", c.bob, "--username=dr.lee")
	do("create-note", "--tenant=elm", "--patient", c.ann, "--file=-")
	do("disable-application", "--tenant=elm", "--application", c.app)
	return c
}

func asRole(t *testing.T, database, role string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	at.User = url.User(role)
	if query.Has("user") {
		query.Set("user", role)
		at.RawQuery = query.Encode()
	}
	return at.String()
}

func objects(t *testing.T, lines string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		all = append(all, object)
	}
	return all
}

// audit runs as the auditor.
func (c *clinic) audit(t *testing.T, args ...string) outcome {
	t.Helper()
	o := frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.auditor)...)...)
	if o.status != 0 {
		t.Fatalf("audit %v: %s", args, o.err)
	}
	return o
}

// drain does what a running service does.
func (c *clinic) drain(t *testing.T) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTheLogIsFiltered(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	names := func(args ...string) string {
		t.Helper()
		var names []string
		for _, e := range objects(t, c.audit(t, append([]string{"log", "--json"}, args...)...).out) {
			names = append(names, e["name"].(string))
		}
		return strings.Join(names, " ")
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--tenant=oak"}, "practice.registered.v1"},
		{[]string{"--after=2", "--up-to=3"}, "staff.registered.v1"},
		{[]string{"--event=practice.application-enabled", "--event=practice.application-disabled.v1"}, "practice.application-enabled.v1 practice.application-disabled.v1"},
		{[]string{"--tenant=elm", "--user=dr.lee"}, "staff.registered.v1 practice.application-enabled.v1 user-authorisation.granted.v1 patient.record-restricted.v1"},
		{[]string{"--since", c.before.Format(time.RFC3339Nano), "--until", c.enabled.Format(time.RFC3339Nano)}, "practice.application-enabled.v1 user-authorisation.granted.v1"},
		{[]string{"--application", c.app, "--tenant=elm"}, "practice.application-enabled.v1 user-authorisation.granted.v1 practice.application-disabled.v1"},
		{[]string{"--patient", c.bob}, "patient.registered.v1 patient.record-restricted.v1"},
		{[]string{"--stream", "0190c7a2-0000-7000-8000-0000000000a1"}, ""},
	} {
		if got := names(test.args...); got != test.want {
			t.Errorf("%v shows %q, want %q", test.args, got, test.want)
		}
	}
	frontdesk(t, "audit", "log", "--user=dr.lee", "--database-url", c.auditor).wantFailure(t, 1, "--tenant")
}

func TestReadingOfPatientsIsInTheLog_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.audit(t, "log")                                                                   // nothing personal
	c.audit(t, "log", "--tenant=elm", "--show-personal", "--event", "staff.registered") // recorded
	c.audit(t, "log", "--patient", c.ann)
	c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.bob)
	c.audit(t, "export", "--out", filepath.Join(t.TempDir(), "log"), "--show-personal")
	c.drain(t)
	type reading struct {
		command, tenant string
		count           float64
	}
	want := []reading{{"log", "elm", 1}, {"log", "", 2}, {"who-accessed", "elm", 2}, {"export", "", 13}}
	found := objects(t, c.audit(t, "log", "--json", "--event=audit.queried").out)
	if len(found) != len(want) {
		t.Fatalf("recorded %v", found)
	}
	for n, e := range found {
		data := e["data"].(map[string]any)
		if got := (reading{data["command"].(string), e["tenant"].(string), data["count"].(float64)}); got != want[n] {
			t.Errorf("recorded %+v, want %+v", got, want[n])
		}
		if who := e["actor"].(map[string]any)["id"].(string); !strings.HasSuffix(who, "@frontdesk_audit") {
			t.Errorf("by %s", who)
		}
	}
}

// Where it cannot be recorded, nothing is shown.
func TestAReadingThatCannotBeRecordedShowsNothing_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "--show-personal"}, {"log", "--patient", c.ann}, {"who-accessed", "--tenant=elm", "--patient", c.ann}} {
		o := frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.auditor)...)...)
		o.wantFailure(t, 1, "nothing is shown")
		if o.out != "" {
			t.Errorf("%v shows %q", args, o.out)
		}
	}
}

func TestAnExportCanBeChecked(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	file := filepath.Join(t.TempDir(), "elm.ndjson")
	c.audit(t, "export", "--tenant=elm", "--up-to=11", "--out", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file + ".manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest := objects(t, string(text))[0]
	sum := sha256.Sum256(data)
	if manifest["sha256"] != hex.EncodeToString(sum[:]) || manifest["count"] != float64(len(objects(t, string(data)))) ||
		manifest["after"] != 0.0 || manifest["upTo"] != 11.0 || manifest["filter"] != "tenant=elm&up-to=11" || manifest["personal"] != false {
		t.Errorf("manifest %s", text)
	}
	if strings.Contains(string(data), "Archer") {
		t.Error("personal data is exported unasked")
	}
	if again := c.audit(t, "log", "--tenant=elm", "--up-to=11", "--json").out; again != string(data) {
		t.Error("an export holds other lines than audit log --json")
	}
}

func TestWhoAccessedAPatientIsListed_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
		VALUES ('0190c7a2-0000-7000-8000-000000000001', now(), 'elm', $1, 'application-restricted', 'create-note', $2, 403, 'unauthorized', 'no', '\x00'),
			('0190c7a2-0000-7000-8000-000000000002', now(), 'oak', $1, 'application-restricted', 'create-note', $2, 200, '', '', '\x00')`, c.app, c.ann); err != nil {
		t.Fatal(err)
	}
	found := objects(t, c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.ann, "--json").out)
	var what []string
	for _, a := range found {
		what = append(what, a["kind"].(string)+" "+a["what"].(string))
	}
	if got := strings.Join(what, ", "); got != "event patient.registered.v1, event care-record.note-created.v1, call create-note" {
		t.Errorf("listed %s", got)
	}
	if table := c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.ann).out; !strings.Contains(table, "403 no") || strings.Contains(table, "cough") {
		t.Errorf("the table is\n%s", table)
	}
}

func TestThePastIsAskedByTheProgramsOwnQueries(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	enabled := func(asOf string) (idx float64, applications int, authorisations int) {
		t.Helper()
		found := objects(t, c.audit(t, "replay", "--as-of", asOf, "--tenant=elm", "--json").out)
		return found[0]["idx"].(float64), len(found[1]["applications"].([]any)), len(found[1]["authorisations"].([]any))
	}
	for _, test := range []struct {
		asOf                         string
		idx                          float64
		applications, authorisations int
	}{
		{c.before.Format(time.RFC3339Nano), 8, 0, 0}, {c.enabled.Format(time.RFC3339Nano), 10, 1, 1}, {"9", 9, 1, 0}, {"99", 13, 0, 1},
	} {
		if idx, apps, auths := enabled(test.asOf); idx != test.idx || apps != test.applications || auths != test.authorisations {
			t.Errorf("as of %s: idx %v, %d applications, %d authorisations", test.asOf, idx, apps, auths)
		}
	}
	if table := c.audit(t, "replay", "--as-of=10").out; !strings.Contains(table, "up to idx 10") || !strings.Contains(table, "by dr.lee for every patient") {
		t.Errorf("the table is\n%s", table)
	}
	frontdesk(t, "audit", "replay", "--as-of=yesterday", "--database-url", c.auditor).wantFailure(t, 1, "instant")
	frontdesk(t, "audit", "replay", "--as-of=3", "--keep=then", "--database-url", c.auditor).wantFailure(t, 1, "permission denied")
}

func TestACallIsExplained(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	ask := func(args ...string) map[string]any {
		t.Helper()
		o := c.audit(t, append([]string{"explain", "--json", "--tenant=elm", "--application", c.app, "--endpoint=create-note"}, args...)...)
		return objects(t, o.out)[0]
	}
	then, now := c.enabled.Format(time.RFC3339Nano), time.Now().Format(time.RFC3339Nano)
	for _, test := range []struct {
		args []string
		rule string
		idx  float64 // of the event that decided; 0 for none
	}{
		{[]string{"--at", then, "--user=dr.lee", "--patient", c.ann}, "none", 0},
		{[]string{"--at", c.before.Format(time.RFC3339Nano), "--user=dr.lee", "--patient", c.ann}, "application-enabled", 0},
		{[]string{"--at", now, "--user=dr.lee", "--patient", c.ann}, "application-enabled", 13},
		{[]string{"--at", then, "--patient", c.ann}, "endpoint-granted", 0},
		{[]string{"--at", then, "--user=kim", "--patient", c.ann}, "user-authorised", 0},
		{[]string{"--at", c.enabled.Add(13 * time.Hour).Format(time.RFC3339Nano), "--user=dr.lee", "--patient", c.ann}, "application-enabled", 13},
		{[]string{"--at", then, "--application=0190c7a2-0000-7000-8000-0000000000a1", "--patient", c.ann}, "application-registered", 0},
	} {
		found := ask(test.args...)
		if found["rule"] != test.rule || found["allowed"] != (test.rule == "none") {
			t.Errorf("%v: %v", test.args, found)
		}
		for _, b := range found["because"].([]any) {
			because := b.(map[string]any)
			if because["rule"] == test.rule && because["idx"] != test.idx {
				t.Errorf("%v was decided by idx %v, want %v", test.args, because["idx"], test.idx)
			}
		}
	}
	if text := c.audit(t, "explain", "--tenant=elm", "--application", c.app, "--endpoint=create-note", "--at", now).out; !strings.Contains(text, "has not been granted access") || !strings.Contains(text, "idx 13") {
		t.Errorf("it says\n%s", text)
	}
	const call = "0190c7a2-0000-7000-8000-000000000001"
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, token_hash)
		SELECT $1, $2, 'elm', $3, 'user-restricted', staff, 'create-note', $4, 200, '', '', '\x00' FROM staff`, call, c.enabled, c.app, c.ann); err != nil {
		t.Fatal(err)
	}
	if found := objects(t, c.audit(t, "explain", "--json", "--call", call).out)[0]; found["allowed"] != true || found["recorded"].(map[string]any)["status"] != 200.0 || len(found["because"].([]any)) != 5 {
		t.Errorf("the recorded call is explained as %v", found)
	}
	frontdesk(t, "audit", "explain", "--tenant=elm", "--database-url", c.auditor).wantFailure(t, 1, "--call")
	frontdesk(t, "audit", "explain", "--call=0190c7a2-0000-7000-8000-0000000000a1", "--database-url", c.auditor).wantFailure(t, 1, "unknown-call")
}

func TestARebuildSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	rebuild := func(args ...string) outcome {
		t.Helper()
		return frontdesk(t, append([]string{"audit", "rebuild", "--database-url", c.db.AdminURL}, args...)...)
	}
	if o := rebuild(); o.status != 0 || !strings.Contains(o.out, "no difference") {
		t.Errorf("%s%s", o.out, o.err)
	}
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `DELETE FROM patients WHERE patient = $1`, c.ann); err != nil {
		t.Fatal(err)
	}
	o := rebuild("--projection=patients.v1")
	o.wantFailure(t, 1, "--switch")
	if !strings.Contains(o.out, "patients lacks 1 rows") || !strings.Contains(o.out, c.ann) || strings.Contains(o.out, "Archer") {
		t.Errorf("it says\n%s", o.out)
	}
	if o := rebuild("--switch", "--json"); o.status != 0 || objects(t, o.out)[0]["switched"] != true {
		t.Errorf("%s%s", o.out, o.err)
	}
	if o := rebuild(); o.status != 0 {
		t.Errorf("%s%s", o.out, o.err)
	}
	rebuild("--projection=nothing.v1").wantFailure(t, 1, "patients.v1")
	frontdesk(t, "audit", "rebuild", "--database-url", c.auditor).wantFailure(t, 1, "permission denied")
}

// A follower sees what comes later, and its end is no failure.
func TestTheLogIsFollowed(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	ctx, stop := context.WithCancel(t.Context())
	out := &watched{want: "oak.later", seen: stop}
	done := make(chan outcome)
	go func() {
		done <- frontdeskIn(ctx, out, "audit", "log", "--follow", "--json", "--after=13", "--database-url", c.auditor)
	}()
	if o := frontdesk(t, "register-practice", "--tenant=later", "--name=oak.later", "--database-url", c.db.URL); o.status != 0 {
		t.Fatal(o.err)
	}
	if o := <-done; o.status != 0 || strings.Count(out.text, "\n") != 1 || !strings.Contains(out.text, `"idx":`+strconv.Itoa(14)) {
		t.Errorf("exit status %d: %s%s", o.status, out.text, o.err)
	}
}

// watched is an output that says when it has seen something.
type watched struct {
	text, want string
	seen       func()
}

// Write implements [io.Writer].
func (w *watched) Write(p []byte) (int, error) {
	if w.text += string(p); strings.Contains(w.text, w.want) {
		w.seen()
	}
	return len(p), nil
}

func frontdeskIn(ctx context.Context, out *watched, args ...string) outcome {
	var err strings.Builder
	status := cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: out, Err: &err})
	return outcome{status, out.text, err.String()}
}
