package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"frontdesk.example/client"
)

// A call whose answer was lost is repeated under its Idempotency-Key, so that it takes effect once.
func ExampleIdempotencyKey() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") != "job-42" {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, `{"noteId":"n-1"}`)
	}))
	defer service.Close()
	practice := examplePractice(service.URL)

	note := client.Note{PatientID: "p-1", Note: "Called back; feels better."}
	_, err := practice.CreateNote(context.Background(), note)
	var lost *client.UnreachableError
	if errors.As(err, &lost) {
		fmt.Println("no answer, and a key:", lost.IdempotencyKey != "")
	}
	created, err := practice.CreateNote(context.Background(), note, client.IdempotencyKey("job-42"))
	fmt.Println(created.NoteID, err)
	// Output:
	// no answer, and a key: true
	// n-1 <nil>
}

// A receiver of your own verifies a webhook with the service's published keys.
func ExampleVerifier() {
	keys := httptest.NewServer(exampleSigner())
	defer keys.Close()

	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: keys.URL})
	if err != nil {
		panic(err)
	}
	_, err = verifier.Verify(context.Background(), "not a token")
	var refused *client.WebhookError
	fmt.Println(errors.As(err, &refused), refused.Reason)
	// Output: true malformed
}

func exampleSigner() *client.Signer {
	dir, err := os.MkdirTemp("", "client-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "key.pem")
	if err := client.GenerateKey(file); err != nil {
		panic(err)
	}
	key, err := client.ReadKey("", file)
	if err != nil {
		panic(err)
	}
	signer, err := client.NewSigner(key)
	if err != nil {
		panic(err)
	}
	return signer
}

func examplePractice(url string) *client.Client {
	practice, err := client.New(client.Options{BaseURL: url, Application: app, Signer: exampleSigner(), Attempts: 1})
	if err != nil {
		panic(err)
	}
	return practice
}
