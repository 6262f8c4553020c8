package app_test

import (
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// A process of the release before names the patient of a call-in by the row. Once the
// database is sealed there is none, and rows have no names.
func TestRowsHaveNamesForTheReleaseBefore_D68(t *testing.T) {
	t.Parallel()
	for since, want := range map[string]string{"NULL": "Ann Archer", "now()": ""} {
		db := postgrestest.New(t)
		if _, err := db.AdminPool(t).Exec(t.Context(), `UPDATE sealing SET since = `+since); err != nil {
			t.Fatal(err)
		}
		engine, err := app.Open(t.Context(), app.Config{DatabaseURL: db.URL, MasterKey: sealing.MasterKey{1}})
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		must(t, engine.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
		id, err := engine.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"})
		must(t, err)
		var name string
		must(t, db.Pool(t).QueryRow(t.Context(), `SELECT name FROM patients WHERE patient = $1`, id).Scan(&name))
		found, _, err := engine.Book().Search(t.Context(), "elm", "ann", 2)
		if name != want || err != nil || len(found) != 1 || found[0].Name != "Ann Archer" {
			t.Errorf("sealed since %s: the row has the name %q, and %v is found, error %v", since, name, found, err)
		}
		must(t, engine.Drain(t.Context()))
		rebuild, err := app.Open(t.Context(), app.Config{DatabaseURL: db.AdminURL, MasterKey: sealing.MasterKey{1}})
		must(t, err)
		defer rebuild.Close()
		chosen, err := rebuild.Auditor.Rebuild([]string{"patients.v1", "staff.v1"})
		must(t, err)
		if result, err := chosen.Run(t.Context()); err != nil || len(result.Differences)+len(result.NotCompared) != 0 {
			t.Errorf("sealed since %s: rebuilt with %+v, error %v", since, result, err)
		}
	}
}
