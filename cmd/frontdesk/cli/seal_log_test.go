package cli_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// unsealed is a database that nobody has sealed yet, and a patient in it.
func unsealed(t *testing.T) *postgrestest.Database {
	t.Helper()
	db := postgrestest.New(t)
	_, err := db.AdminPool(t).Exec(t.Context(), `UPDATE sealing SET since = NULL, closed_at = NULL, finished_at = NULL`)
	must(t, err)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: db.URL})
	must(t, err)
	defer engine.Close()
	must(t, engine.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
	_, err = engine.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"})
	must(t, err)
	must(t, engine.Drain(t.Context()))
	return db
}

func TestTheLogIsSealedByTheOwnerOnce_D75(t *testing.T) {
	t.Parallel()
	db := unsealed(t)
	auditor := asRole(t, db.URL, "frontdesk_audit")
	log := func(args ...string) outcome {
		return frontdesk(t, append([]string{"audit", "log", "--tenant=elm", "--database-url", auditor}, args...)...)
	}
	if shown := log("--show-personal", noMasterKey); !strings.Contains(shown.out, "Ann Archer") {
		t.Errorf("before, personal data is shown without a master key: %s%s", shown.out, shown.err)
	}
	if hidden := log(noMasterKey); strings.Contains(hidden.out, "Ann Archer") || !strings.Contains(hidden.out, "[personal]") {
		t.Errorf("and only if it is asked for: %s", hidden.out)
	}
	seal := func(url string, args ...string) outcome {
		return frontdesk(t, append([]string{"seal-log", "--database-url", url}, args...)...)
	}
	seal(db.AdminURL, noMasterKey).wantFailure(t, 1, "no master key")
	seal(db.URL).wantFailure(t, 1, "as the owner of the database")

	running, err := app.Open(t.Context(), app.Config{DatabaseURL: db.URL, MasterKey: theMasterKey})
	must(t, err)
	_, err = running.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: "elm", Name: "Bob Baker"})
	must(t, err)
	seal(db.AdminURL).wantFailure(t, 1, "restart every process of frontdesk, then run this again", "frontdesk clear")
	running.Close()

	done := seal(db.AdminURL)
	done.wantSuccess(t)
	if again := seal(db.AdminURL); !strings.HasPrefix(done.out, "sealed: 2 events were in clear") || again.out != "nothing was left to seal\n" {
		t.Errorf("it says %q, and then %q", done.out, again.out)
	}
	log("--show-personal", noMasterKey).wantFailure(t, 1, sealedHere)
	if shown := log("--show-personal"); !strings.Contains(shown.out, "Ann Archer") || !strings.Contains(shown.out, "Bob Baker") {
		t.Errorf("sealed, it shows %s%s", shown.out, shown.err)
	}
	whole := frontdesk(t, "audit", "log", "--json", "--event=log.sealed", "--database-url", auditor)
	if !strings.Contains(whole.out, `"events":2`) || !strings.Contains(whole.out, `"kind":"operator"`) {
		t.Errorf("the log says %s", whole.out)
	}
	frontdesk(t, "audit", "rebuild", "--database-url", db.AdminURL).wantSuccess(t)
}
