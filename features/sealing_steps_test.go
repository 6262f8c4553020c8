package features_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/testworld"
)

var anotherMasterKey = sealing.MasterKey{2}

// sealingSteps are about the master key, and the data that is visible without it.
func (w *world) sealingSteps(sc *godog.ScenarioContext) {
	sc.Step(`^an auditor (without the|with another) master key reads the log( and asks for personal data)?$`, w.readsLogWith)
	sc.Step(`^the auditor is told "([^"]*)"$`, w.isTold)
	sc.Step(`^the service is started (without a|with another) master key$`, w.isStartedWith)
	sc.Step(`^it says "([^"]*)" and does not serve$`, w.isTold)
	sc.Step(`^somebody takes the key of "([^"]*)" out of the database$`, w.losesKey)
	sc.Step(`^"([^"]*)" was erased$`, w.wasErased)
}

// masterKeyFlag is a flag that replaces the environment's master key.
func masterKeyFlag(which string) string {
	if strings.HasPrefix(which, "without") {
		return noMasterKey
	}
	return noMasterKey + base64.StdEncoding.EncodeToString(anotherMasterKey[:])
}

func (w *world) readsLogWith(which, personal string) error {
	args := []string{"log", "--tenant", w.tenant(w.practice), masterKeyFlag(which)}
	if personal != "" {
		args = append(args, "--show-personal")
	}
	_, err := w.audit(w.auditor(), args...)
	return w.hears(err)
}

// hears keeps a refusal.
func (w *world) hears(refusal error) error {
	w.heard = ""
	if refusal != nil {
		w.heard = refusal.Error()
	}
	return nil
}

func (w *world) isTold(text string) error {
	text = strings.NewReplacer("<the master key>", testworld.MasterKey.ID(), "<another master key>", anotherMasterKey.ID()).Replace(text)
	if !strings.Contains(w.heard, text) || strings.Count(w.heard, "\n") > 1 {
		return fmt.Errorf("told is %q", w.heard)
	}
	return nil
}

func (w *world) isStartedWith(which string) error {
	var said bytes.Buffer
	status := cli.Main(w.ctx, []string{
		"serve", "--database-url", w.DB.URL, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0",
		"--api-domain=api.example", "--auth-url=https://auth.example", masterKeyFlag(which),
	}, cli.Streams{In: strings.NewReader(""), Out: &said, Err: &said})
	if status != 1 {
		return fmt.Errorf("exit status %d", status)
	}
	w.heard = said.String()
	return nil
}

func (w *world) losesKey(name string) error {
	return w.asSuperuser(`DELETE FROM personal_keys WHERE holder = $1`, w.patients[name])
}

func (w *world) wasErased(name string) error {
	return w.asSuperuser(`INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT $2, 1, $1, now(), gen_random_uuid(), $1, 2, ''`, w.patients[name], w.tenant(w.practice))
}

func (w *world) asSuperuser(statement string, args ...any) error {
	conn, err := pgx.Connect(w.ctx, w.DB.SuperuserURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(w.ctx) }()
	_, err = conn.Exec(w.ctx, statement, args...)
	return err
}
