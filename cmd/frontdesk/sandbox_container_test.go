package main_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// In a container, a sandbox gives its application's key to programs outside, and each start begins from
// the seed.
func TestSandboxOfContainerIsShared_D177(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Flags = append(s.Flags, "--container")
	s.Start()
	first, before := given(t, s), *s.Info()
	s.Run("integrator", "application", "--dir", first)
	if err := s.Stop(); err != nil {
		t.Errorf("it exited with %v", err)
	}
	s.Start()
	second, after := given(t, s), *s.Info()
	if read(t, filepath.Join(first, "application-key.pem")) == read(t, filepath.Join(second, "application-key.pem")) || before.Patients[0] == after.Patients[0] {
		t.Error("a second start has the same key or patients")
	}
	s.Run("integrator", "application", "--dir", second)
}

// A sandbox of a person's machine gives its key to no one.
func TestSandboxKeepsItsKey_D177(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	for _, name := range []string{"sandbox.json", "application-key.pem"} {
		if status, body := fetched(t, s.Info().DocsURL+name); status != http.StatusNotFound {
			t.Errorf("%s is answered %d %s", name, status, body)
		}
	}
}

// given is a folder with the files that a sandbox gives.
func given(t *testing.T, s *program) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sandbox.json", "application-key.pem"} {
		status, body := fetched(t, s.Info().DocsURL+name)
		if status != http.StatusOK {
			t.Fatalf("%s is answered %d %s", name, status, body)
		}
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func fetched(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
