package docs_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// fetched are folders that hold what was fetched and built, for TestMain to remove.
var fetched struct {
	sync.Mutex
	folders []string
}

// npm returns a copy of a folder with all that its lock names, once: npm takes long, so
// all tests share it. It runs no scripts of packages.
func npm(folder string) func() (dir string, err error) {
	return sync.OnceValues(func() (string, error) {
		dir, err := fetchedFolder()
		if err != nil {
			return "", err
		}
		if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
			return "", err
		}
		_, err = tryOutput(context.Background(), "", dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		return dir, err
	})
}

// fetchedFolder is one that lasts as long as the tests.
func fetchedFolder() (string, error) {
	dir, err := os.MkdirTemp("", "frontdesk-fetched-")
	fetched.Lock()
	defer fetched.Unlock()
	fetched.folders = append(fetched.folders, dir)
	return dir, err
}

func removeFetched() (err error) {
	for _, folder := range fetched.folders {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// A lock that names a registry would send everybody there.
func TestTheLockNamesNoRegistry(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"../client/typescript", "testdata/fhir", "testdata/openapi", "testdata/openapi/lint"} {
		lock, err := os.ReadFile(folder + "/package-lock.json")
		if err != nil || strings.Contains(string(lock), `"resolved"`) || !strings.Contains(string(lock), `"integrity"`) {
			t.Errorf("%s/package-lock.json names a registry, or no digests (%v): npm install --package-lock-only --omit-lockfile-registry-resolved", folder, err)
		}
	}
}
