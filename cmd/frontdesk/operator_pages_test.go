//go:build walk

package main_test

import (
	"fmt"
	"regexp"
	"strings"

	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// The walks through the pages after the first one, whose steps are already done.

func settingsWalk() []stage {
	return []stage{
		{below: "A file of settings", by: "TestConfigurationOfThePageServes_D108"},
		{below: "Where the master key comes from", before: (*operator).hasAVault},
		{below: "Connections to the database"},
		{below: "Roles", before: (*operator).isOwnedByASuperuser, after: (*operator).isOwnedByTheOwner},
	}
}

// hasAVault has one that holds the key, and no listener on the ports that are checked.
func (o *operator) hasAVault() {
	o.t.Helper()
	o.starts()
	o.program("vault", `[ "$*" = 'kv get -field=key secret/frontdesk' ]`+"\n"+o.meant("cat /etc/frontdesk/master.key"))
	o.stops()
}

// isOwnedByASuperuser makes the database one of an earlier time, and has postgres come by the
// network.
func (o *operator) isOwnedByASuperuser() {
	o.t.Helper()
	o.types(`superuser <<< 'ALTER ROLE owner RENAME TO formerly; ALTER ROLE formerly SUPERUSER'
echo "*:*:*:postgres:$(openssl rand -hex 24)" >> ~/.pgpass
superuser <<< "ALTER ROLE postgres PASSWORD '$(password postgres)'"`)
}

func (o *operator) isOwnedByTheOwner() {
	o.t.Helper()
	o.types(`superuser --dbname frontdesk --tuples-only --no-align <<< "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
frontdesk serve --check`)
	o.wants("owner\nok owner a plain role owns the schema\n")
}

func personalDataWalk() []stage {
	return []stage{
		{below: "Rotate the master key", before: func(o *operator) { o.starts(); o.hasAPatient() }},
		{below: "Retiring the old master key", before: (*operator).lets40DaysPass},
		{below: "Retention"},
		{below: "Erase a person", before: (*operator).hasBob, after: (*operator).isAsked},
		{below: "Confirming it", after: (*operator).hasForgotten},
	}
}

// thePatient is the patient in the pages.
const thePatient = "0190c7a2-0000-7000-8000-00000000f001"

func (o *operator) hasAPatient() {
	o.t.Helper()
	o.types("frontdesk patient register --tenant elm-street --name 'Ann Archer' --patient " + thePatient)
}

// lets40DaysPass has the rotation of the master key happen 40 days earlier than it did.
func (o *operator) lets40DaysPass() {
	o.t.Helper()
	o.types(`superuser --dbname frontdesk <<< "SET session_replication_role = replica; UPDATE master_keys SET unused_at = unused_at - interval '40 days'"`)
}

// hasBob has a second operator.
func (o *operator) hasBob() {
	o.t.Helper()
	o.types(o.meant(`echo "*:*:*:bob:$(openssl rand -hex 24)" >> ~/.pgpass
superuser <<< "CREATE ROLE bob LOGIN IN ROLE frontdesk_app PASSWORD '$(password bob)'"`))
}

// isAsked learns which erasure was requested, and returns a day later.
func (o *operator) isAsked() {
	o.t.Helper()
	o.insteadOf("0190c7a2-0000-7000-8000-00000000f002", o.named("erasureId"))
	o.tomorrow()
}

// tomorrow has everything happen a day and an hour earlier than it did.
func (o *operator) tomorrow() {
	o.t.Helper()
	o.types(aDayPasses)
}

// aDayPasses moves the clock for decisions by an event's time, or by an instant in it.
const aDayPasses = `superuser --dbname frontdesk <<'END'
SET session_replication_role = replica;
UPDATE events SET recorded_at = recorded_at - interval '25 hours',
	data = (SELECT coalesce(jsonb_object_agg(key, CASE WHEN key ~ '(^a|A)t$' THEN to_jsonb((value #>> '{}')::timestamptz - interval '25 hours') ELSE value END), '{}') FROM jsonb_each(data::jsonb));
UPDATE erasures_requested SET stored_at = stored_at - interval '25 hours';
UPDATE signing_keys SET since = since - interval '25 hours', staged_at = staged_at - interval '25 hours';
END`

func (o *operator) hasForgotten() {
	o.t.Helper()
	if ledger := o.read("var/lib/frontdesk/erasures"); strings.Count(ledger, thePatient) != 1 {
		o.t.Errorf("the ledger holds %s", ledger)
	}
}

func passwordsWalk() []stage {
	return []stage{
		{below: "The role of the service", before: (*operator).starts, after: (*operator).restarts},
		{below: "The role before it"},
		{below: "Other roles", after: (*operator).isReady},
		{below: "When an operator leaves", before: func(o *operator) { o.hasBob(); o.hasInvited() }},
	}
}

// restarts has the process connect as the settings file says, not as the operator.
func (o *operator) restarts() {
	o.t.Helper()
	o.stops()
	o.types("operator=$FRONTDESK_DATABASE_URL; unset FRONTDESK_DATABASE_URL")
	o.serves()
	o.types("export FRONTDESK_DATABASE_URL=$operator")
}

func (o *operator) hasInvited() {
	o.t.Helper()
	o.types("frontdesk staff invite --tenant elm-street --username sam.taylor --name 'Sam Taylor' --email sam@elm.example --role manager")
}

func keysWalk() []stage {
	return []stage{
		{below: "Key rotation", before: (*operator).starts, after: (*operator).tomorrow},
		{below: "A day later", after: (*operator).tomorrow},
		{below: "And another day later", after: (*operator).hasOneKey},
		{below: "Keys of applications", before: (*operator).onboards},
		{below: "Sign the log"},
		{below: "Run a witness", after: (*operator).isCosigned},
	}
}

func (o *operator) onboards() {
	o.t.Helper()
	o.does("operate/onboard-practices.md", stage{below: "Onboard practices"})
}

func (o *operator) hasOneKey() {
	o.t.Helper()
	if said := o.types("frontdesk key list --json"); strings.Count(said, `"active"`) != 1 || strings.Count(said, `"retired"`) != 1 {
		o.t.Errorf("the keys are\n%s", said)
	}
}

func (o *operator) isCosigned() {
	o.t.Helper()
	o.types(`until frontdesk audit checkpoint --tenant elm-street | grep '^— witness.example '; do sleep 0.1; done`)
}

func peopleWalk() []stage {
	return []stage{
		{below: "Members of staff", before: (*operator).startsWithAPractice},
		{below: "Screens in waiting rooms", before: (*operator).hasASite, after: (*operator).hasADisplay},
		{below: "A screen that goes"},
		{below: "Importing patients"},
		{below: "Putting records right", before: (*operator).hasRecords, after: (*operator).isPutRightIn},
	}
}

// startsWithAPractice has the clinician and the site that the page names. That practice takes
// requests at any hour: those of a practice that was onboarded depend on when the test runs.
func (o *operator) startsWithAPractice() {
	o.t.Helper()
	o.starts()
	o.types(`frontdesk staff register --tenant elm-street --username dr.lee --name 'Robin Lee' --email lee@elm.example --role clinician
frontdesk site add --tenant elm-street --name 'Elm Street'`)
}

func (o *operator) hasASite() {
	o.t.Helper()
	o.insteadOf("0190c7a2-0000-7000-8000-00000000f003", strings.TrimSpace(
		o.types(`superuser --dbname frontdesk --tuples-only --no-align <<< 'SELECT site FROM sites'`)))
}

// named is an identifier that was printed last.
func (o *operator) named(member string) string {
	o.t.Helper()
	found := regexp.MustCompile(member + `"?:\s*"?([0-9a-f-]{36})`).FindStringSubmatch(o.said)
	if found == nil {
		o.t.Fatalf("no %s is printed: %s", member, o.said)
	}
	return found[1]
}

func (o *operator) hasADisplay() {
	o.t.Helper()
	o.insteadOf("0190c7a2-0000-7000-8000-00000000f004", o.named("displayId"))
}

// hasRecords has a note, a request that was sent twice, and one that is the brother's.
func (o *operator) hasRecords() {
	o.t.Helper()
	o.types(fmt.Sprintf(`frontdesk patient register --tenant elm-street --name 'Ann Archer' --patient %[1]s
frontdesk patient register --tenant elm-street --name 'Ben Archer' --patient 0190c7a2-0000-7000-8000-00000000f008
echo 'A cough.' > note
echo '{"patientId":"%[1]s","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}' > request.json`, thePatient))
	// Staff and applications write these entries. For a moment the database is a sandbox's (D181).
	comment := func(text string) {
		o.types(`superuser <<< "COMMENT ON DATABASE frontdesk IS '` + text + `'"`)
	}
	comment(sandbox.Comment(""))
	defer comment("")
	for _, record := range [][3]string{
		{"f005", "noteId", "patient create-note --patient " + thePatient + " --file note"},
		{"f006", "patientRequestId", "request submit --file request.json"},
		{"f007", "patientRequestId", "request submit --file request.json"},
	} {
		o.types("frontdesk " + record[2] + " --tenant elm-street")
		o.insteadOf("0190c7a2-0000-7000-8000-00000000"+record[0], o.named(record[1]))
	}
}

func (o *operator) isPutRightIn() {
	o.t.Helper()
	o.types("frontdesk audit log --tenant elm-street")
	o.wants("…note…entered-in-error…\n…request…entered-in-error…\n…patient.details-changed…\n…re-linked…\n")
}

// The machines of these pages are those of other tests.
func patroniWalk() []stage {
	return []stage{{below: "With Patroni", by: "TestProveThatPatroniIsInstalled_D113"}}
}

func containersWalk() []stage {
	return []stage{
		{below: "Containers", by: "TestProveContainers_D106"},
		{below: "One Postgres, one process", by: "TestProveContainers_D106"},
	}
}
