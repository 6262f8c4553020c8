package service_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/proof"
)

func TestWitnessReportsMissingSettings_D78(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, state := filepath.Join(dir, "key"), filepath.Join(dir, "state")
	made := clitest.Frontdesk(t, "key", "make-witness", "--name=witness.example", "--out="+key)
	if _, err := proof.NewWitnessVerifier(strings.TrimSpace(made.Out)); made.Status != 0 || err != nil {
		t.Fatalf("%+v, %v", made, err)
	}
	clitest.Frontdesk(t, "key", "make-witness", "--name=witness.example", "--out="+key).WantFailure(t, 1, "not written over")
	clitest.Frontdesk(t, "key", "make-witness", "--name=a witness", "--out="+key+"2").WantFailure(t, 1, "no spaces")
	private, public, err := note.GenerateKey(rand.Reader, "api.example")
	if err != nil {
		t.Fatal(err)
	}
	logKey := filepath.Join(dir, "log.key")
	if err := os.WriteFile(logKey, []byte(private), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(flags ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"witness", "--listen=127.0.0.1:0"}, flags...)...)
	}
	start().WantFailure(t, 2, "--key-file", "--state", "--log-key")
	start("--key-file="+logKey, "--state="+state, "--log-key="+public).WantFailure(t, 1, "no private key of a witness")
	start("--key-file="+key, "--state="+state, "--log-key="+made.Out).WantFailure(t, 1, "no verifier key of a log")
	start("--key-file="+key, "--state="+state, "--log-key="+public, "--log-key="+public).WantFailure(t, 1, "twice")
	start("--key-file="+key, "--state="+state, "--log-key="+public).WantFailure(t, 1, "there is no folder "+state)
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	start("--key-file="+key, "--state="+state, "--log-key="+public).WantFailure(t, 1, "holds no state", "--new")
}

func TestWitnessCosignsUntilStopped_D78(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	witness, err := proof.NewWitnessVerifier(strings.TrimSpace(clitest.Frontdesk(t, "key", "make-witness", "--name=witness.example", "--out="+key).Out))
	if err != nil {
		t.Fatal(err)
	}
	private, public, err := note.GenerateKey(rand.Reader, "api.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	empty := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.New(), Epoch: 1}, Root: proof.Edge{}.Root()}
	signed, err := empty.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range [][]string{{"--new"}, nil} {
		ctx, stop := context.WithCancel(t.Context())
		says := make(clitest.Lines, 100)
		ended := make(chan int, 1)
		args := append([]string{"witness", "--listen=127.0.0.1:0", "--key-file=" + key, "--state=" + dir, "--log-key=" + public}, first...)
		go func() {
			ended <- cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: says})
		}()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, says.URL()+"/add-checkpoint", bytes.NewReader(proof.Consistency{Note: signed}.Format()))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		cosignature, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if _, openErr := note.Open(append(signed, cosignature...), note.VerifierList(witness)); err != nil || openErr != nil {
			t.Errorf("%s %q: %v, %v", response.Status, cosignature, err, openErr)
		}
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("it ended with %d", status)
		}
	}
}
