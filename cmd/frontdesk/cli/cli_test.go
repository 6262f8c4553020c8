package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
)

func TestWrongUsageIsExitStatus2(t *testing.T) {
	t.Parallel()
	clitest.Frontdesk(t, "no-such-command").WantFailure(t, 2, "--help")
	clitest.Frontdesk(t, "practice").WantFailure(t, 2, `"register"`, "practice --help")
	clitest.Frontdesk(t, "practice", "register").WantFailure(t, 2, "--database-url", "practice register --help")
	clitest.Frontdesk(t, "application", "enable", "--database-url=x", "--tenant=elm", "--application=7").WantFailure(t, 2, `"7" is not a UUID`)
	clitest.Frontdesk(t, "token", "explain", "--now=2026-03-02T12:00:00,5Z", "x").WantFailure(t, 2, `"2026-03-02T12:00:00,5Z" is no instant`)
	clitest.Frontdesk(t, "audit", "replay", "--database-url=x", "--tenant=elm", "--as-of=2026-03-02T9:00:00Z").WantFailure(t, 1, "invalid-as-of")
}

// Where an identifier may be left out, the UUID of zeros would be taken for none: a
// patient would get another one, another authorisation would be revoked, and everything
// would be shown.
func TestTheUUIDOfZerosIsNotTyped_D20(t *testing.T) {
	t.Parallel()
	for command, code := range map[string]string{
		"patient register --tenant=elm --name=Ann --patient=":                                                               "invalid-patient-id",
		"authorisation revoke --tenant=elm --application=0190c7a2-0000-7000-8000-0000000000a1 --username=dr.lee --patient=": "invalid-patient-id",
		"application enable --tenant=elm --application=":                                                                    "invalid-application-id",
		"site add-room --tenant=elm --name=1 --site=":                                                                       "invalid-site-id",
		"appointment call-in --tenant=elm --appointment=0190c7a2-0000-7000-8000-0000000000a1 --room=":                       "invalid-room-id",
		"appointment call-in --tenant=elm --appointment=":                                                                   "invalid-appointment-id",
		"audit log --patient=":     "invalid-patient-id",
		"audit log --application=": "invalid-application-id",
		"audit log --stream=":      "invalid-id",
		"audit calls --request=":   "invalid-id",
	} {
		args := append(strings.Fields(command+uuid.Nil.String()), "--database-url=x")
		clitest.Frontdesk(t, args...).WantFailure(t, 2, code, "--"+command[strings.LastIndex(command, "--")+2:len(command)-1]+" must not be the UUID of zeros")
	}
	clitest.Frontdesk(t, "audit", "log", "--user="+uuid.Nil.String(), "--database-url", postgrestest.New(t).URL).WantFailure(t, 1, "user-without-tenant")
}

func TestHelpListsCommands(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"sandbox", "--help"}, {"audit", "--help"}, {"application", "grant", "--help"}} {
		if o := clitest.Frontdesk(t, args...); o.Status != 0 || !strings.Contains(o.Out, "Usage: frontdesk") {
			t.Errorf("%v: exit status %d: %s", args, o.Status, o.Out)
		}
	}
}

// otherwise are the intents whose commands have other words. That there is a signing key is
// ensured by the service, which also serves the pages of links, passkeys, displays and patients.
var otherwise = map[string]string{
	"SetJWKSURL":         "application set-jwks-url",
	"GrantEndpoint":      "application grant",
	"RevokeEndpoint":     "application revoke",
	"SetOpeningHours":    "request-type set-hours",
	"OpenCareRecord":     "patient open-record",
	"GivePatientRequest": "request assign",
	"NotePatientRequest": "request add-note",
	"CallInPatient":      "appointment call-in",
	"ErasePatient":       "erasure request-patient",
	"EraseStaff":         "erasure request-staff",
	"ErasePractitioner":  "erasure request-practitioner",
	"ReapplyErasure":     "erasure reapply",
	"StageSigningKey":    "key stage",
	"ActivateSigningKey": "key activate",
	"RetireSigningKey":   "key retire",
	"RecordReading":      "audit subject-pack",

	"SetSubjectAccessInformation": "practice set-information",
	"SetNoteTemplate":             "practice set-note-template",

	"GrantPatientScopedAuthorisation": "authorisation grant-for-patient",

	"AcceptLink":       "serve",
	"ChangePassword":   "serve",
	"ConnectDisplay":   "serve",
	"EnsureSigningKey": "serve",
	"BreakGlass":       "serve",
	"AddPasskey":       "serve",
	"ImportPatients":   "patient import",
	"RemovePasskey":    "serve",
}

var wordStart = regexp.MustCompile(`([a-z])([A-Z])`)

// The shell's completion knows every command, and is asked once for each noun.
func TestEveryIntentCanBeTyped(t *testing.T) {
	t.Parallel()
	after := func(noun ...string) (commands []string) {
		o := clitest.Frontdesk(t, slices.Concat([]string{"completion", "words", "--"}, noun, []string{""})...)
		for line := range strings.Lines(o.Out) {
			name, _, _ := strings.Cut(line, "\t")
			commands = append(commands, strings.Join(append(noun, name), " "))
		}
		return commands
	}
	typed := after()
	for _, noun := range after() {
		typed = append(typed, after(noun)...)
	}
	wordsOf := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' })
	}
	holds := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(word string) bool { return !slices.Contains(all, word) })
	}
	for intent := range reflect.TypeFor[commands.Desk]().Methods() {
		words := wordsOf(wordStart.ReplaceAllString(intent.Name, "$1 $2"))
		named, ok := otherwise[intent.Name]
		if !slices.ContainsFunc(typed, func(command string) bool {
			of := wordsOf(command)
			return ok && command == named || !ok && len(of) > 1 && (holds(words, of) || holds(of, words))
		}) {
			t.Errorf("%s cannot be typed: %v", intent.Name, words)
		}
	}
}

func TestADatabaseThatCannotBeReachedIsSaid(t *testing.T) {
	t.Parallel()
	nowhere := "postgres://x@/x?" + url.Values{"host": {t.TempDir()}}.Encode()
	clitest.Frontdesk(t, "practice", "register", "--database-url", nowhere, "--tenant=elm", "--name=Elm").
		WantFailure(t, 1, "database cannot be reached", "--database-url")
	clitest.Frontdesk(t, "practice", "register", "--database-url", "nonsense://", "--tenant=elm", "--name=Elm").
		WantFailure(t, 1, "database URL")
}

func TestASchemaThatIsNotThisProgramsIsSaid(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	register := []string{"practice", "register", "--database-url", db.URL, "--tenant=elm", "--name=Elm"}
	exec := func(statement string) {
		if _, err := db.AdminPool(t).Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true); UPDATE schema_support SET oldest_program = 9999`)
	clitest.Frontdesk(t, register...).WantFailure(t, 1, "9999", "newer")
	exec(`UPDATE schema_support SET oldest_program = 1`)
	clitest.Frontdesk(t, register...).WantSuccess(t)
	exec(`DELETE FROM goose_db_version WHERE version_id > 0`)
	clitest.Frontdesk(t, register...).WantFailure(t, 1, "frontdesk migrate")
}

func TestSandboxReportsWhyItCannotStart(t *testing.T) {
	t.Parallel()
	clitest.Frontdesk(t, "sandbox", "--listen=0.0.0.0:0").WantFailure(t, 1, "loopback")

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Frontdesk(t, "sandbox", "--listen=127.0.0.1:0", "--dir", filepath.Join(file, "below")).WantFailure(t, 1, "--dir")
}

func TestAPortThatIsTakenIsSaid(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	clitest.Frontdesk(t, "serve", "--database-url", postgrestest.New(t).URL, "--listen", taken.Addr().String(),
		"--api-domain=api.example", "--auth-url=https://auth.example", "--private-listen=127.0.0.1:0",
		"--master-key", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))).
		WantFailure(t, 1, "port taken", taken.Addr().String())
}

func TestARefusalIsOneSentence(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	register := []string{"practice", "register", "--database-url", db.URL, "--tenant=elm", "--name=Elm"}
	if o := clitest.Frontdesk(t, register...); o.Status != 0 {
		t.Fatal(o.Err)
	}
	clitest.Frontdesk(t, register...).WantFailure(t, 1, "A practice with this tenant identifier exists already. (tenant-taken)")
	clitest.Frontdesk(t, append(register, "--as=nobody")...).WantFailure(t, 1, "unknown-staff")
	clitest.Frontdesk(t, "application", "grant", "--database-url", db.URL, "--as=nobody",
		"--application=0190c7a2-0000-7000-8000-0000000000a1", "--endpoint=x", "--mode=y").
		WantFailure(t, 1, "as-without-tenant")
}

// The engine's commands end to end, without a server: a script can use their output, and the
// log names the actor.
func TestCommandsPrintResultsAndReachTheLog(t *testing.T) {
	t.Parallel()
	db := clitest.AsSandbox(t, postgrestest.New(t))
	run := func(in string, args ...string) map[string]any {
		t.Helper()
		o := clitest.FrontdeskWith(t, in, append(args, "--database-url", db.URL, "--json")...)
		if o.Status != 0 {
			t.Fatalf("%v: %s", args, o.Err)
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(o.Out), &object); err != nil {
			t.Fatalf("%v printed %q: %v", args, o.Out, err)
		}
		return object
	}
	run("", "practice", "register", "--tenant=elm", "--name=Elm Street")
	run("", "staff", "register", "--tenant=elm", "--username=dr.lee", "--name=Dr Lee", "--email=lee@elm.example")
	app := run("", "application", "register", "--name=Referrals", "--jwks-url=https://app.example/jwks.json",
		"--callback=https://app.example/a?b=c,d")["applicationId"].(string)
	run("", "application", "enable", "--tenant=elm", "--application", app, "--as=dr.lee")
	run("", "application", "grant", "--application", app, "--endpoint=create-patient-request", "--mode=user-restricted")
	grant := []string{"authorisation", "grant", "--tenant=elm", "--application", app, "--username=dr.lee"}
	if until, _ := run("", grant...)["expiresAt"].(string); !wholeSecond.MatchString(until) {
		t.Errorf("expiresAt is %q", until)
	}
	if o := clitest.Frontdesk(t, append(grant, "--database-url", db.URL)...); !wholeSecond.MatchString(strings.TrimPrefix(strings.Split(o.Out, "\n")[0], "expiresAt: ")) {
		t.Errorf("for people it prints %q", o.Out)
	}
	ann := run("", "patient", "register", "--tenant=elm", "--name=Ann Archer", "--birth-date=1980-02-29")["patientId"].(string)
	run("", "patient", "set-contact-details", "--tenant=elm", "--patient", ann, "--telephone=020 7946 0958", "--email=", "--nhs-number=943 476 5919")
	body := `{"patientId":"` + ann + `","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`
	made := run(body, "request", "submit", "--tenant=elm", "--file=-")
	if made["patientRequestId"] == nil || len(made["events"].([]any)) != 1 {
		t.Errorf("submit printed %v", made)
	}
	if again := run("", "application", "enable", "--tenant=elm", "--application", app); len(again["events"].([]any)) != 0 {
		t.Errorf("enabling twice appended %v", again["events"])
	}
	o := clitest.FrontdeskWith(t, strings.Replace(body, "medical", "dental", 1), "request", "submit", "--tenant=elm", "--file=-", "--database-url", db.URL)
	o.WantFailure(t, 1, "invalid-request-type")

	wantLog(t, clitest.Frontdesk(t, "audit", "log", "--json", "--database-url", db.URL))
}

// wholeSecond is how an authorisation's end is written everywhere (D26).
var wholeSecond = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)

func wantLog(t *testing.T, log clitest.Outcome) {
	t.Helper()
	var names, actors, members []string
	for line := range strings.Lines(log.Out) {
		var e struct {
			Idx   int
			Name  string
			Actor struct{ Kind, For string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		names, actors, members = append(names, e.Name), append(actors, e.Actor.Kind), append(members, e.Actor.For)
		if e.Idx != len(names) {
			t.Errorf("line %d has idx %d", len(names), e.Idx)
		}
	}
	if len(names) != 11 || names[10] != "patient-request.submitted.v1" {
		t.Errorf("the log has %v", names)
	}
	if actors[0] != "operator" || names[4] != "practice.application-enabled.v1" || actors[4] != "operator" || members[4] == "" || members[5] != "" {
		t.Errorf("by %q for %q", actors, members)
	}
	for _, personal := range []string{"Archer", "Dr Lee", "cough", "1980-02-29"} {
		if strings.Contains(log.Out, personal) {
			t.Errorf("the log shows %q unasked", personal)
		}
	}
}
