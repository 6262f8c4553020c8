package features_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/access"
)

// auditSteps are about auditors' queries on the command line.
func (w *world) auditSteps(sc *godog.ScenarioContext) {
	sc.Step(`^an auditor asks who has accessed "([^"]*)"$`, w.asksWhoAccessed)
	sc.Step(`^the auditor is shown:$`, w.auditorIsShown)
	sc.Step(`^an auditor reads the log$`, w.readsLog)
	sc.Step(`^an auditor reads the log and asks for personal data$`, w.readsPersonalLog)
	sc.Step(`^"([^"]*)" is (not )?shown$`, w.isShown)
	sc.Step(`^the last "([^"]*)" was by the role "([^"]*)"$`, w.lastByRole)
	sc.Step(`^(\S+) ago "([^"]*)" was (not )?enabled, and (\d+) authorisations? (?:was|were) current$`, w.wasEnabled)
	sc.Step(`^(\d+) recorded calls are explained as they were answered$`, w.explained)
	sc.Step(`^somebody changes the database: "(.*)"$`, w.tampered)
	sc.Step(`^a rebuild of "([^"]*)" finds (\d+) rows? missing and (\d+) that should not be$`, w.rebuildFinds)
	sc.Step(`^a rebuild that switches puts it right$`, w.rebuildMends)
}

// audit runs the command line as a role and keeps what it prints.
func (w *world) audit(database string, args ...string) (status int, err error) {
	if err := w.Drain(w.ctx); err != nil {
		return 0, err
	}
	var out, said bytes.Buffer
	args = append([]string{"audit"}, append(args, "--database-url", database)...)
	status = cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
	w.shown = out.String()
	if status != 0 && w.shown == "" {
		return status, errors.New(said.String())
	}
	return status, nil
}

// auditor is the database as the auditors' role.
func (w *world) auditor() string { return asAuditor(w.DB.URL) }

// asAuditor names the auditors' role. Queries about the past use the owner's URL, which
// goes to Postgres itself.
func asAuditor(database string) string { return asRole(database, postgres.AuditRole) }

func asRole(database, role string) string {
	at, err := url.Parse(database)
	if err != nil {
		panic(err) // we made it
	}
	at.User = url.User(role)
	if query := at.Query(); query.Has("user") {
		query.Set("user", role)
		at.RawQuery = query.Encode()
	}
	return at.String()
}

func (w *world) asksWhoAccessed(patient string) error {
	if _, err := w.recordedCalls(1); err != nil {
		return err
	}
	_, err := w.audit(w.auditor(), "who-accessed", "--json", "--tenant", w.tenant(w.practice), "--patient", w.patients[patient].String())
	return err
}

// recordedCalls are the practice's, once the access record has so many that named a
// patient or were refused before: it is written in batches.
func (w *world) recordedCalls(atLeast int) (calls []access.Call, err error) {
	err = eventually(func() error {
		calls = nil
		for call, err := range w.Auditor.AccessRecord().Calls(w.ctx, accesslog.CallFilter{Tenant: w.tenant(w.practice)}) {
			if err != nil {
				return err
			}
			calls = append(calls, call)
		}
		if len(calls) < max(atLeast, len(w.answers)) {
			return fmt.Errorf("the access record has %d calls", len(calls))
		}
		return nil
	})
	return calls, err
}

func (w *world) auditorIsShown(table *godog.Table) error {
	var want, got []string
	for _, row := range table.Rows {
		want = append(want, row.Cells[0].Value+" "+row.Cells[1].Value)
	}
	for line := range strings.Lines(w.shown) {
		var a struct{ Kind, What string }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			return err
		}
		if text := a.Kind + " " + a.What; len(got) == 0 || got[len(got)-1] != text {
			got = append(got, text)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("shown is %q", got)
	}
	return nil
}

func (w *world) readsLog() error {
	_, err := w.audit(w.auditor(), "log", "--tenant", w.tenant(w.practice))
	return err
}

func (w *world) readsPersonalLog() error {
	_, err := w.audit(w.auditor(), "log", "--tenant", w.tenant(w.practice), "--show-personal")
	return w.hears(err)
}

func (w *world) isShown(text, not string) error {
	if strings.Contains(w.shown, text) != (not == "") {
		return fmt.Errorf("shown is %q", w.shown)
	}
	return nil
}

func (w *world) lastByRole(name, role string) error {
	e, err := w.last(name)
	if err == nil && e.Metadata.Actor.ID != role {
		err = fmt.Errorf("it was by %s", e.Metadata.Actor)
	}
	return err
}

func (w *world) wasEnabled(ago, name, not string, authorisations int) error {
	d, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	at := w.Clock.Now().Add(-d).Format(time.RFC3339Nano)
	if _, err := w.audit(asAuditor(w.DB.AdminURL), "replay", "--json", "--as-of", at, "--tenant", w.tenant(w.practice)); err != nil {
		return err
	}
	_, line, _ := strings.Cut(w.shown, "\n")
	var then struct {
		Applications   []struct{ Name string }
		Authorisations []json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &then); err != nil {
		return err
	}
	enabled := slices.ContainsFunc(then.Applications, func(a struct{ Name string }) bool { return a.Name == name })
	if enabled != (not == "") || len(then.Authorisations) != authorisations {
		return fmt.Errorf("as of %s: %s", at, line)
	}
	return nil
}

// explained compares the rules of that time with the answers to callers.
func (w *world) explained(count int) error {
	calls, err := w.recordedCalls(count)
	if err != nil || len(calls) != count {
		return fmt.Errorf("%d calls, %w", len(calls), err)
	}
	if err := w.Drain(w.ctx); err != nil {
		return err
	}
	auditor, err := app.Open(w.ctx, app.Config{DatabaseURL: asAuditor(w.DB.AdminURL), MasterKeys: sealing.NewRing(testworld.MasterKey)})
	if err != nil {
		return err
	}
	defer auditor.Close()
	for _, call := range calls {
		question, _, err := auditor.Auditor.QuestionOf(w.ctx, call.RequestID)
		if err != nil {
			return err
		}
		verdict, err := auditor.Auditor.Explain(w.ctx, question, nil)
		if err != nil {
			return err
		}
		if verdict.Reason != call.Reason || verdict.Allowed != (auditing.OutcomeOf(call) == auditing.Allowed) {
			return fmt.Errorf("%s of %s was answered %d %q and is explained as %+v", call.Endpoint, call.At, call.Status, call.Reason, short(verdict))
		}
	}
	return nil
}

func short(v auditing.Verdict) string { return fmt.Sprintf("%s: %s (idx %d)", v.Rule, v.Reason, v.Idx) }

func (w *world) tampered(statement string) error {
	conn, err := pgx.Connect(w.ctx, w.DB.AdminURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(w.ctx) }()
	_, err = conn.Exec(w.ctx, w.filled(statement))
	return err
}

func (w *world) rebuildFinds(projection string, missing, strange int) error {
	status, err := w.audit(w.DB.AdminURL, "rebuild", "--json", "--projection", projection)
	if err != nil {
		return err
	}
	var result struct {
		Differences []struct{ Missing, Strange int }
	}
	if err := json.Unmarshal([]byte(w.shown), &result); err != nil {
		return err
	}
	if status != 1 || len(result.Differences) != 1 || result.Differences[0].Missing != missing || result.Differences[0].Strange != strange {
		return fmt.Errorf("exit status %d: %s", status, w.shown)
	}
	return nil
}

func (w *world) rebuildMends() error {
	if status, err := w.audit(w.DB.AdminURL, "rebuild", "--switch"); err != nil || status != 0 {
		return fmt.Errorf("exit status %d: %s, %w", status, w.shown, err)
	}
	status, err := w.audit(w.DB.AdminURL, "rebuild")
	if err == nil && (status != 0 || !strings.Contains(w.shown, "no difference")) {
		err = fmt.Errorf("exit status %d: %s", status, w.shown)
	}
	return err
}
