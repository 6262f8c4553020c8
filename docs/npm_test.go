//go:build walk || prove

package docs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// npm returns a copy of a folder with the packages of its lock. They are fetched once for
// each lock and kept in .frontdesk/npm, so that only a new lock needs the registry.
func npm(folder string) func() (dir string, err error) {
	return sync.OnceValues(func() (string, error) {
		modules, err := npmPackages(folder)
		if err != nil {
			return "", err
		}
		dir, err := fetchedFolder()
		if err != nil {
			return "", err
		}
		if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
			return "", err
		}
		return dir, os.Symlink(modules, filepath.Join(dir, "node_modules"))
	})
}

// npmPackages returns the node_modules of a folder's lock. It runs no scripts of packages.
func npmPackages(folder string) (modules string, err error) {
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	kept, err := filepath.Abs(filepath.Join("..", ".frontdesk", "npm", hex.EncodeToString(sum[:])))
	if err != nil {
		return "", err
	}
	modules = filepath.Join(kept, "node_modules")
	if _, err := os.Stat(modules); !errors.Is(err, fs.ErrNotExist) {
		return modules, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(kept), "fetching-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	if _, err := tryOutput(context.Background(), "", dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
		return "", err
	}
	if err := os.Rename(dir, kept); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been first
		return "", fmt.Errorf("keep the packages of %s: %w", folder, err)
	}
	return modules, nil
}

// fetched are folders of this process, for TestMain to remove.
var fetched struct {
	sync.Mutex
	folders []string
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
