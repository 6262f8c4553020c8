//go:build prove

package features_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// TestProveSandboxLeavesNothingPersonal records something about each patient of
// a sandbox, after its seed, and then searches its cluster for the entered values.
func TestProveSandboxLeavesNothingPersonal(t *testing.T) {
	t.Parallel()
	info := aSandbox(t)
	master, err := sealing.ReadRing(info.MasterKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	db := &postgrestest.Database{
		URL: info.DatabaseURL, SuperuserURL: strings.Replace(info.AdminDatabaseURL, embedded.Owner+"@", embedded.Superuser+"@", 1),
	}
	k := &keeping{entered: newEntered(), world: &world{ctx: t.Context(), program: &program{t: t, World: &testworld.World{DB: db}}}}
	k.live(master[0], info)
	k.db, err = pgx.Connect(k.ctx, db.SuperuserURL)
	k.must(err)
	defer func() { _ = k.db.Close(context.WithoutCancel(k.ctx)) }()
	k.searchFor(master[0], "the sandbox")
	k.searchFiles()
	if len(k.words) < 4*len(info.Patients) {
		t.Errorf("only %d values were entered", len(k.words))
	}
}

// aSandbox runs until the test ends.
func aSandbox(t *testing.T) sandbox.Info {
	t.Helper()
	dir, said, ended := t.TempDir(), make(chan struct{}), make(chan struct{})
	out, in := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		defer close(ended)
		_ = in.CloseWithError(sandbox.Run(ctx, sandbox.Config{
			Dir: dir, Out: in, Now: clock.System, Log: slog.New(slog.DiscardHandler), App: app.Config{Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0"},
		}))
	}()
	_, err := io.ReadAtLeast(out, make([]byte, 1), 1) // it prints instructions once it is ready
	go func() {
		defer close(said)
		_, _ = io.Copy(io.Discard, out)
	}()
	t.Cleanup(func() { stop(); <-ended; <-said })
	if err != nil {
		t.Fatal(err)
	}
	info, err := sandbox.ReadInfo(dir)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// live records a note and a request of each patient.
func (k *keeping) live(master sealing.MasterKey, info sandbox.Info) {
	k.t.Helper()
	engine, err := app.Open(k.ctx, app.Config{DatabaseURL: info.DatabaseURL, MasterKeys: sealing.NewRing(master)})
	k.must(err)
	defer engine.Close()
	for _, p := range info.Patients {
		ctx := event.WithMetadata(k.ctx, event.Metadata{Actor: event.Service("sandbox")})
		_, err := engine.Desk.CreateNote(ctx, commands.CreateNote{Tenant: info.TenantID, Patient: p.ID, Text: "is fond of " + p.Name + "'s dog"})
		k.must(err)
		_, err = engine.Desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: info.TenantID, Submission: request.Submission{
			Patient: p.ID, Type: request.Medical, Requester: request.ByProxy, Proxy: &request.Proxy{FirstName: "Philippa of " + p.Name, LastName: "Proxyworth"},
			Response: []request.Answer{{Question: "healthConcern", Answer: "a cough that will not leave " + p.Name}},
		}})
		k.must(err)
	}
	k.must(engine.Drain(k.ctx))
}
