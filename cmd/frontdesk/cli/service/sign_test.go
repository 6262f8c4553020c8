package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/proof"
)

// longRun is a command that runs until it is stopped.
type longRun struct {
	t     *testing.T
	says  clitest.Lines
	url   string
	stop  context.CancelFunc
	ended chan int
}

func run(t *testing.T, args ...string) *longRun {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &longRun{t: t, says: make(clitest.Lines, 100), stop: stop, ended: make(chan int, 1)}
	go func() {
		l.ended <- cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: l.says})
	}()
	l.url = l.says.URL()
	return l
}

func (l *longRun) end() {
	l.t.Helper()
	l.stop()
	if status := <-l.ended; status != 0 {
		l.t.Errorf("it ended with %d", status)
	}
}

// A service is signed and witnessed, from the keys on, and goes on after an operator has
// said that it was restored.
func TestTheLogIsSignedAtTheCommandLine_D77(t *testing.T) {
	t.Parallel()
	db, dir := postgrestest.New(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"signer", "witness"} {
		if err := os.Mkdir(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	key := strings.TrimSpace(clitest.Frontdesk(t, "key", "make-log", "--name=api.example", "--out="+in("log.key")).Out)
	witnessKey := strings.TrimSpace(clitest.Frontdesk(t, "key", "make-witness", "--name=witness.example", "--out="+in("witness.key")).Out)
	verifier, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	cosigner, err := proof.NewWitnessVerifier(witnessKey)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Frontdesk(t, "key", "make-log", "--name=api.example", "--out="+in("log.key")).WantFailure(t, 1, "not written over")
	salt := clitest.Frontdesk(t, "key", "show-salt", in("log.key")).Out
	clitest.Frontdesk(t, "key", "make-log", "--name=api.example", "--like="+in("log.key"), "--out="+in("next.key")).WantSuccess(t)
	if like := clitest.Frontdesk(t, "key", "show-salt", in("next.key")).Out; len(salt) != 33 || like != salt {
		t.Errorf("the salt is %q, and that of the key in its place %q", salt, like)
	}
	clitest.Frontdesk(t, "key", "show-salt", in("witness.key")).WantFailure(t, 1, "no key of a log")
	clitest.Frontdesk(t, "key", "make-log", "--name=an api", "--out="+in("other.key")).WantFailure(t, 1, "cannot be a key's name")
	if o := clitest.Frontdesk(t, "practice", "register", "--tenant=elm", "--name=Elm", "--database-url", db.URL); o.Status != 0 {
		t.Fatalf("%+v", o)
	}

	witness := run(t, "witness", "--listen=127.0.0.1:0", "--key-file="+in("witness.key"), "--state="+in("witness"), "--log-key="+key, "--new")
	at := strings.Replace(db.URL, postgres.AppRole, postgres.SignerRole, 1)
	args := []string{"sign", "--database-url", at, "--log-key-file=" + in("log.key"), "--state=" + in("signer"), "--metrics-listen=127.0.0.1:0",
		"--every=50ms", "--witness=" + witness.url, "--witness-key=" + witnessKey}
	pool := db.Pool(t)
	database := pool.Config().ConnConfig.Database
	connections := func(limit int) {
		t.Helper()
		change := fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT %d", pgx.Identifier{database}.Sanitize(), limit)
		if _, err := db.SuperuserPool(t).Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	connections(0)
	signer := run(t, args...)
	if response := get(t, signer.url+"/metrics"); !strings.Contains(response, "frontdesk_signer_completed_timestamp_seconds 0") {
		t.Errorf("before there is a database the metrics say\n%s", response)
	}
	connections(-1)
	signed := func(origin string) {
		t.Helper()
		const newest = `SELECT coalesce((SELECT note FROM checkpoints WHERE tenant = 'elm' AND kind = 1 ORDER BY epoch DESC, day DESC LIMIT 1), '')`
		looks := time.NewTicker(20 * time.Millisecond)
		defer looks.Stop()
		for range 1500 {
			var text string
			if err := pool.QueryRow(t.Context(), newest).Scan(&text); err != nil {
				t.Fatal(err)
			}
			opened, err := note.Open([]byte(text), note.VerifierList(verifier, cosigner))
			if err == nil && len(opened.Sigs) == 2 && strings.Contains(opened.Text, origin) {
				return
			}
			<-looks.C
		}
		t.Fatalf("elm is not signed and cosigned with %q", origin)
	}
	signed("/1\n1\n")
	clitest.Frontdesk(t, args...).WantFailure(t, 1, "another process holds it")
	clitest.Frontdesk(t, append(args, "--state="+dir, "--database-url="+strings.Replace(at, "/"+database, "/none", 1))...).WantFailure(t, 1, "3D000")
	response := get(t, signer.url+"/metrics")
	for _, metric := range []string{"frontdesk_signer_alarms 0", `frontdesk_signer_idx{log="events"} 1`, "frontdesk_signer_completed_timestamp_seconds 1", "frontdesk_signer_unwitnessed_checkpoints"} {
		if !strings.Contains(response, metric) {
			t.Errorf("the metrics do not say %q:\n%s", metric, response)
		}
	}

	o := clitest.Frontdesk(t, "audit", "begin-epoch", "--database-url", db.AdminURL, "--reason=The volume was put back as of Friday.", "--json")
	if o.Status != 0 || !strings.Contains(o.Out, `"epoch":2,"cause":"restore","lastKnown":1`) {
		t.Errorf("%+v", o)
	}
	signed("/2\n1\n")
	signer.end()
	witness.end()
	clitest.Frontdesk(t, "audit", "begin-epoch", "--database-url", db.AdminURL, "--reason=Again.", "--epoch=2").WantFailure(t, 1, "epoch-over")
	clitest.Frontdesk(t, "audit", "begin-epoch", "--database-url", db.URL, "--reason=I may not.").WantFailure(t, 1, "as the owner of the database")
	clitest.Frontdesk(t, append(args, "--witness=https://second.example")...).WantFailure(t, 1, "as many --witness-key")
	clitest.Frontdesk(t, append(args, "--witness=second.example", "--witness-key="+witnessKey)...).WantFailure(t, 1, "no address of a witness")
	clitest.Frontdesk(t, append(args, "--witness=https://second.example", "--witness-key="+witnessKey)...).WantFailure(t, 1, "twice")
	if err := os.Remove(filepath.Join(in("signer"), "state")); err != nil {
		t.Fatal(err)
	}
	clitest.Frontdesk(t, args...).WantFailure(t, 1, "this folder remembers nothing", "--adopt")
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
