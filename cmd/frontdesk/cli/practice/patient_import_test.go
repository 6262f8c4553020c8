package practice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// imported is a clinic, and an import into it.
type imported struct {
	*clitest.Clinic
	t   *testing.T
	ids string
}

func newImported(t *testing.T) *imported {
	t.Helper()
	return &imported{clitest.NewClinic(t), t, filepath.Join(t.TempDir(), "ids.csv")}
}

func (i *imported) run(file string, flags ...string) clitest.Outcome {
	i.t.Helper()
	return clitest.FrontdeskWith(i.t, file, append([]string{"patient", "import", "-", "--tenant", "elm", "--ids", i.ids, "--database-url", i.DB.URL}, flags...)...)
}

// events returns the number of events of a type.
func (i *imported) events(name string) (n int) {
	i.t.Helper()
	clitest.Must(i.t, i.DB.Pool(i.t).QueryRow(i.t.Context(), `SELECT count(*) FROM events WHERE name = $1`, name).Scan(&n))
	return n
}

const (
	importHeading = "Reference,name,birth_date,telephone,email,nhs_number\n"
	importFile    = "\ufeff" + importHeading +
		"E-1,Zoë Quill,29/02/1980,01632 960 001,zoe@mail.example,943 476 5919\n" +
		"E-2,\"O’Neill, Siân\",1939-03-15,,,\n"
)

// A dry run stores nothing; a repeated import registers no one twice.
func TestImportRegistersOnce_D160(t *testing.T) {
	t.Parallel()
	i := newImported(t)
	if o := i.run(importFile, "--dry-run"); o.Out != "the file can be imported\n" || i.events("patient.registered.v1") != 2 {
		t.Errorf("a dry run prints %q, and registers %d", o.Out, i.events("patient.registered.v1")-2)
	}
	if _, err := os.Stat(i.ids); !os.IsNotExist(err) {
		t.Errorf("a dry run makes a file: %v", err)
	}
	if o := i.run(importFile); o.Out != "registered 2 patients; 0 were registered before\n" {
		t.Errorf("it prints %q, %s", o.Out, o.Err)
	}
	if o := i.run(importFile + "E-3,Dana Drew,,,,\n"); o.Out != "registered 1 patients; 2 were registered before\n" {
		t.Errorf("a longer file prints %q, %s", o.Out, o.Err)
	}
	if patients, contacts := i.events("patient.registered.v1"), i.events("patient.contact-details-set.v1"); patients != 5 || contacts != 1 {
		t.Errorf("%d patients and %d contacts are stored", patients, contacts)
	}
	info, err := os.Stat(i.ids)
	clitest.Must(t, err)
	lines := strings.Split(strings.TrimSpace(clitest.ReadFile(t, i.ids)), "\n")
	if info.Mode().Perm() != 0o600 || len(lines) != 4 || !strings.HasPrefix(lines[1], "E-1,") {
		t.Errorf("the file of references has mode %v: %q", info.Mode(), lines)
	}
	o := i.run(importFile, "--json")
	if rows := o.Lines(t); len(rows) != 2 || rows[0]["line"] != 2.0 || rows[0]["registered"] != false || !strings.HasSuffix(lines[1], rows[0]["patientId"].(string)) {
		t.Errorf("for programs it prints %v", rows)
	}
	i.Drain(t)
	if log := i.Audit(t, "log", "--json", "--event", "patient.registered"); !strings.Contains(log.Out, `"kind":"operator"`) || strings.Contains(log.Out, "Quill") {
		t.Errorf("the log has\n%s", log.Out)
	}
}

// A killed run has written all identifiers, perhaps half of the last line, and registered
// some patients. The next run registers the others.
func TestKilledImportGoesOn_D160(t *testing.T) {
	t.Parallel()
	i := newImported(t)
	half, whole := importHeading, importHeading
	for n := range 250 {
		line := fmt.Sprintf("E-%d,First%d Last%d,1980-01-01,,,\n", n, n, n)
		if whole += line; n < 130 {
			half += line
		}
	}
	i.run(half, "--allow-duplicates").WantSuccess(t)
	known := clitest.ReadFile(t, i.ids)
	ids := known
	for n := 130; n < 249; n++ {
		ids += fmt.Sprintf("E-%d,01a21f54-0000-7000-8000-%012d\n", n, n)
	}
	clitest.Must(t, os.WriteFile(i.ids, []byte(ids+"E-249,01a21f54"), 0o600))
	if o := i.run(whole); o.Out != "registered 120 patients; 130 were registered before\n" {
		t.Errorf("it prints %q, %s", o.Out, o.Err)
	}
	if n := i.events("patient.registered.v1"); n != 252 {
		t.Errorf("%d patients are registered", n)
	}
	now := clitest.ReadFile(t, i.ids)
	if !strings.HasPrefix(now, ids) || strings.Count(now, "\n") != 251 || !strings.HasSuffix(now, "\n") {
		t.Errorf("the file of references is\n%s", now[len(now)-200:])
	}
}

// An invalid file changes nothing, and no message repeats its content.
func TestInvalidImportIsRefused_D160(t *testing.T) {
	t.Parallel()
	i := newImported(t)
	for file, want := range map[string]string{
		"":                                           "heading",
		"reference,name,town\n":                      "column 3 of the first line",
		"reference,name,name\n":                      "column 3 of the first line",
		"reference,birth_date\n":                     `no column "name"`,
		importHeading + "E-1,Secret,,,\n":            "line 2: wrong number of fields",
		importHeading + ",Secret,,,,\n":              "line 2: give a reference",
		importHeading + "E\t1,Secret,,,,\n":          "line 2: give a reference",
		importHeading + "E-1,A,,,,\nE-1,Secret,,,,":  "line 3: the reference is also in line 2",
		importHeading + "E-1,Secr\xffet,,,,\n":       "not UTF-8",
		importHeading + "E-1,,31/2/1980,secret,x,1,": "line 2: wrong number of fields",
		importHeading + "E-1,,,secret,x,1\n":         "line 2: missing-name: Give the patient a name.; invalid-telephone",
		importHeading + "E-1,Zoë,31/2/1980,,,\n":     "line 2: invalid-birth-date",
		importHeading + "E-1,ann ARCHER,,,,\n":       "line 2: may be patient " + i.Ann,
	} {
		o := i.run(file)
		o.WantFailure(t, 1, want)
		if strings.Contains(strings.ToLower(o.Err+o.Out), "secret") {
			t.Errorf("%q repeats its content: %s", file, o.Err)
		}
	}
	if o := i.run(importHeading + strings.Repeat(",", 5) + "\n"); o.Status != 1 {
		t.Errorf("an empty line ends with %d", o.Status)
	}
	lines := ""
	for n := range 60 {
		lines += fmt.Sprintf("E-%d,,,,,\n", n)
	}
	if o := i.run(importHeading + lines); o.Status != 1 || strings.Count(o.Err, "missing-name") != 50 || !strings.Contains(o.Err, "and 10 more") {
		t.Errorf("60 invalid lines end with %d: %s", o.Status, o.Err)
	}
	if n := i.events("patient.registered.v1"); n != 2 {
		t.Errorf("%d patients are registered", n-2)
	}
	if n := i.events("audit.queried.v1"); n != 1 {
		t.Errorf("%d readings of names are recorded", n)
	}
	i.run(importHeading+"E-1,ann ARCHER,,,,\n", "--allow-duplicates").WantSuccess(t)
	i.run(importFile, clitest.NoMasterKey).WantFailure(t, 1, clitest.SealedHere)
	i.run(importFile, "--tenant", "nowhere").WantFailure(t, 1, "unknown-practice")
	clitest.Must(t, os.WriteFile(i.ids, []byte("a letter\n"), 0o600))
	i.run(importFile).WantFailure(t, 1, "not a list of references")
}

// Two lines of one NHS number, and a line with the number of a patient, are refused; with
// --allow-duplicates, they are warnings. No message has the number.
func TestImportNamesSharedNumbers_D161(t *testing.T) {
	t.Parallel()
	i := newImported(t)
	const file = importHeading +
		"E-1,Zoë Quill,1980-02-29,,,943 476 5919\n" +
		"E-2,Dana Drew,1981-03-01,,,9434765919\n" +
		"E-3,Eve Elm,1982-03-01,,,9000000009\n"
	i.run(file).WantFailure(t, 1, "line 3: has the same NHS number as line 2")
	if n := i.events("patient.registered.v1"); n != 2 {
		t.Errorf("%d patients are registered", n-2)
	}
	o := i.run(file, "--allow-duplicates")
	o.WantSuccess(t)
	if !strings.Contains(o.Err, "warning: line 3: has the same NHS number as line 2") || strings.Contains(o.Err+o.Out, "5919") {
		t.Errorf("it warns of %q, %q", o.Err, o.Out)
	}
	i.run(file).WantSuccess(t) // all are registered
	eve := i.referenced("E-3")
	o = i.run(file + "E-4,Fay Fern,1990-01-01,,,900 000 0009\n")
	o.WantFailure(t, 1, "line 5: has the same NHS number as patient "+eve)
	other := importHeading + "F-1,Fay Fern,1990-01-01,,,900 000 0009\n"
	i.run(other).WantFailure(t, 1, "line 2: has the same NHS number as patient "+eve)
	set := clitest.Frontdesk(t, "patient", "set-contact-details", "--tenant", "elm", "--patient", i.Ann, "--telephone=", "--email=", "--nhs-number=900 000 0009", "--database-url", i.DB.URL)
	set.WantSuccess(t)
	if !strings.Contains(set.Err, "warning: patient "+i.Ann+" now has the same NHS number as patient "+eve) {
		t.Errorf("the command warns of %q", set.Err)
	}
	i.Drain(t)
	if log := i.Audit(t, "log", "--json", "--event", "audit.queried"); strings.Count(log.Out, eve) < 3 || strings.Contains(log.Out, "9000000009") {
		t.Errorf("the readings are\n%s", log.Out)
	}
}

// referenced returns the identifier of a reference in the file of references.
func (i *imported) referenced(reference string) string {
	i.t.Helper()
	for line := range strings.Lines(clitest.ReadFile(i.t, i.ids)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), reference+","); ok {
			return id
		}
	}
	i.t.Fatalf("%s has no identifier", reference)
	return ""
}
