package practice_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestSetUpThingsAreListed_D107(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	for _, line := range []string{
		"webhook set --event=record.opened --url=https://app.example/hook?secret=1 --application=" + c.App,
		"application enable --tenant=oak --application=" + c.App,
		"application enable --tenant=elm --application=" + c.App,
		"application mark-patient-scoped --application=" + c.App,
		"staff invite --tenant=elm --username=ann --name=Ann --email=ann@elm.example --role=manager --role=clinician",
		"staff register --tenant=elm --username=zoe --name=Zoe --email=zoe@elm.example",
		"staff register --tenant=elm --username=ed --name=Ed --email=ed@elm.example",
		"staff deactivate --tenant=elm --username=ed",
		"authorisation grant-for-patient --tenant=elm --username=zoe --patient=" + c.Ann + " --application=" + c.App,
	} {
		c.Listed(t, line)
	}
	until := `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	for line, want := range map[string]string{
		"practice list": `TENANT  NAME        TIME ZONE      APPLICATIONS  STAFF
elm     Elm Street  Europe/London  1             3
oak     Oak Lane    Europe/London  1             0
`,
		"practice list --json": `{"tenantId":"elm","name":"Elm Street","timeZone":"Europe/London","applications":1,"staff":3}
{"tenantId":"oak","name":"Oak Lane","timeZone":"Europe/London","applications":1,"staff":0}
`,
		"application list": `APPLICATION                           NAME       JWKS URL                       GRANTS
` + c.App + `  Referrals  https://app.example/jwks.json  create-note:user-restricted
`,
		"application list --tenant=oak --json": `{"applicationId":"` + c.App + `","name":"Referrals","jwksUrl":"https://app.example/jwks.json","patientScoped":true,` +
			`"callbacks":["https://app.example/cb"],"grants":["create-note:user-restricted"]}
`,
		"webhook list": `APPLICATION                           EVENT          URL
` + c.App + `  record.opened  https://app.example/hook
`,
		"webhook list --json --application=" + c.App:                             `{"applicationId":"` + c.App + `","event":"record.opened","url":"https://app.example/hook"}` + "\n",
		"webhook list --json --application=0190c7a2-0000-7000-8000-0000000000a9": "",
		"staff list --tenant=elm": `USERNAME  ROLES              STATE
ann       clinician manager  invited
dr.lee    -                  registered
ed        -                  left
zoe       -                  registered
`,
		"staff list --tenant=oak": "USERNAME  ROLES  STATE\n",
	} {
		if got := c.Listed(t, line).Out; got != want {
			t.Errorf("%s printed\n%s\nwant\n%s", line, got, want)
		}
	}
	given := c.Listed(t, "authorisation list --tenant=elm").Out
	want := regexp.MustCompile(`^USERNAME  APPLICATION +PATIENT +UNTIL +COUNTS
(dr.lee    ` + c.App + `  all +` + until + `  yes
|zoe       ` + c.App + `  ` + c.Ann + `  ` + until + `  yes
){2}$`)
	if !want.MatchString(given) {
		t.Errorf("authorisation list printed\n%s", given)
	}
	for _, line := range []string{"staff list --tenant=ash", "authorisation list --tenant=ash", "application list --tenant=ash"} {
		clitest.Frontdesk(t, append(strings.Fields(line), "--database-url", c.DB.URL)...).WantFailure(t, 1, "unknown-practice")
	}
}

// Names are shown on request and with the master key, and that is recorded; so are lists
// that name patients.
func TestListsOfPersonsLeaveATrace_D107(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	c.Listed(t, "staff list --tenant=elm")
	c.Listed(t, "authorisation list --tenant=elm") // which names no patient yet
	if o := c.Listed(t, "staff list --tenant=elm --show-personal"); !strings.Contains(o.Out, "Dr Lee  lee@elm.example") {
		t.Errorf("it printed\n%s", o.Out)
	}
	clitest.Frontdesk(t, "staff", "list", "--tenant=elm", "--show-personal", "--database-url", c.DB.URL, clitest.NoMasterKey).WantFailure(t, 1, clitest.SealedHere)
	c.Listed(t, "application mark-patient-scoped --application="+c.App)
	c.Listed(t, "authorisation grant-for-patient --tenant=elm --username=dr.lee --patient="+c.Ann+" --application="+c.App)
	if o := c.Listed(t, "authorisation list --tenant=elm"); !strings.Contains(o.Out, c.Ann) || strings.Contains(o.Out, "yes") {
		t.Errorf("with the application disabled it printed\n%s", o.Out)
	}
	c.Drain(t)
	read := clitest.Objects(t, c.Audit(t, "log", "--json", "--event", "audit.queried").Out)
	var traces []string
	for _, e := range read {
		data := e["data"].(map[string]any)
		traces = append(traces, fmt.Sprint(data["command"], data["filter"], data["personal"], data["count"]))
	}
	if want := "[list-stafftenant=elmtrue 1 list-authorisationstenant=elmtrue 1]"; fmt.Sprint(traces) != want {
		t.Errorf("the traces are %v, want %s", traces, want)
	}
}

// A list is read by pages, each line once and in order.
func TestAListIsReadByPages_D107(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	const all = 1250
	_, err := db.SuperuserPool(t).Exec(t.Context(), `SET session_replication_role = replica;
		INSERT INTO practices (tenant, name, time_zone) SELECT 'p-' || lpad(n::text, 5, '0'), 'P', 'UTC' FROM generate_series(1, 1250) n;
		INSERT INTO staff (tenant, staff, username, name, email, administrator) SELECT 'p-00001', gen_random_uuid(), 'u-' || lpad(n::text, 5, '0'), '', '', false FROM generate_series(1, 1250) n`)
	clitest.Must(t, err)
	for line, form := range map[string]string{"practice list": "p-%05d", "staff list --tenant=p-00001": "u-%05d"} {
		o := clitest.Frontdesk(t, append(strings.Fields(line), "--database-url", db.URL)...)
		lines := strings.Split(strings.TrimSpace(o.Out), "\n")
		if len(lines) != all+1 {
			t.Fatalf("%s printed %d lines: %s", line, len(lines), o.Err)
		}
		for n, line := range lines[1:] {
			if want := fmt.Sprintf(form, n+1); !strings.HasPrefix(line, want+" ") {
				t.Fatalf("line %d is %q, want %s", n+1, line, want)
			}
		}
	}
}
