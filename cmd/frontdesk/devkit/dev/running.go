package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"frontdesk/domain/application"
)

// Running is the content of dev.json: everything that the code of an application needs
// while dev runs.
type Running struct {
	PageURL     string      `json:"pageURL"` // with the key to it
	APIURL      string      `json:"apiURL"`
	AuthURL     string      `json:"authURL"`
	TenantID    string      `json:"tenantId"`
	Application Application `json:"application"`
	Webhooks    Webhooks    `json:"webhooks"`
	SandboxDir  string      `json:"sandboxDir"`
	Process     int         `json:"process"`
}

// Application is the application that dev is for.
type Application struct {
	ID             application.ID `json:"id"`
	Name           string         `json:"name"`
	KID            string         `json:"kid"`
	PrivateKeyFile string         `json:"privateKeyFile"`
	JWKSURL        string         `json:"jwksURL"`
	Callbacks      []string       `json:"callbacks"`
	Username       string         `json:"username"` // of a user who has authorised the application
}

// Webhooks is where webhooks are received, and forwarded.
type Webhooks struct {
	URL       string `json:"url"`
	ForwardTo string `json:"forwardTo"`
	JWKSURL   string `json:"jwksURL"` // of the service, to verify them with
}

// ErrNone reports that no dev runs.
var ErrNone = errors.New("no frontdesk dev runs here: start one with \"frontdesk dev\", or name its directory with --key-dir")

// Find returns the dev that runs in a directory. A relative one is looked for in the working
// directory and in all above it, as git does. If none runs, it is [ErrNone].
func Find(dir string) (Running, error) {
	if filepath.IsAbs(dir) {
		return readRunning(dir)
	}
	here, err := os.Getwd()
	if err != nil {
		return Running{}, fmt.Errorf("find the working directory: %w", err)
	}
	for {
		running, err := readRunning(filepath.Join(here, dir))
		above := filepath.Dir(here)
		if !errors.Is(err, ErrNone) || above == here {
			return running, err
		}
		here = above
	}
}

func readRunning(dir string) (Running, error) { return readRunningAs(os.Geteuid(), dir) }

// readRunningAs trusts only files of the user or root. In a directory that all may write to,
// such as /tmp, any user could name a key of that user's, and an address to send its tokens
// to.
func readRunningAs(user int, dir string) (r Running, err error) {
	content, owner, err := readOwned(filepath.Join(dir, runningName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return r, ErrNone
	}
	if err != nil {
		return r, fmt.Errorf("read %s: %w", runningName, err)
	}
	if owner != user && owner != 0 {
		return r, fmt.Errorf("%s belongs to another user of this machine, so it is not trusted: work elsewhere, or name your directory with --key-dir",
			filepath.Join(dir, runningName))
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return r, fmt.Errorf("read %s: %w", runningName, err)
	}
	if !alive(r.Process) { // it was killed
		return r, ErrNone
	}
	return r, nil
}

// readOwned returns the content of a file, and its owner.
func readOwned(name string) (content []byte, owner int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxRunning))
	return content, ownerOf(info), err
}

const maxRunning = 64 << 10 // bytes
