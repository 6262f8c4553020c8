package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"frontdesk/cmd/frontdesk/app"
)

// A sandbox that listens on all addresses is called at one that its practices are served at.
func TestSandboxIsCalledOnLoopback_D177(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080",
		"[::]:8080": "http://127.0.0.1:8080", "0.0.0.0:9000": "http://127.0.0.1:9000",
	} {
		i := &instance{service: app.Config{Listen: listen}}
		if got := i.url(); got != want {
			t.Errorf("%s is called at %s, want %s", listen, got, want)
		}
	}
}

// A key that was fetched is next to the file that names it.
func TestFetchedKeyIsFound_D177(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for named, want := range map[string]string{keyName: filepath.Join(dir, keyName), "/elsewhere/key.pem": "/elsewhere/key.pem"} {
		if err := os.WriteFile(InfoFile(dir), []byte(`{"application":{"privateKeyFile":"`+named+`"}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := ReadInfo(dir); err != nil || info.Application.PrivateKeyFile != want {
			t.Errorf("%s is %s, %v; want %s", named, info.Application.PrivateKeyFile, err, want)
		}
	}
}
