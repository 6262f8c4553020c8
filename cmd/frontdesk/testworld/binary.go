package testworld

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// binaryVariable names a program that is built already.
const binaryVariable = "FRONTDESK_TEST_BINARY"

// Binary returns the path of the program. `make test` builds it once for all packages and
// sets its path in FRONTDESK_TEST_BINARY. Without that, each process of tests builds it once,
// and [Main] removes it.
//
// It is built without the race detector. Races are tested in process, under the detector; a
// process is there to be stopped, killed and called from outside, and under the detector it
// would start several times slower.
func Binary(tb testing.TB) string {
	tb.Helper()
	path, err := binary()
	Must(tb, err)
	return path
}

var binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(binaryVariable); path != "" {
		_, err := os.Stat(path) // go test takes no cached result for another program
		return path, err
	}
	dir, err := os.MkdirTemp("", "frontdesk-binary-")
	if err != nil {
		return "", err
	}
	atEnd(func() error { return os.RemoveAll(dir) })
	path := filepath.Join(dir, "frontdesk")
	output, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, "frontdesk/cmd/frontdesk").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, output)
	}
	return path, nil
})

// ends are for [Main], in the order in which they were added.
var ends struct {
	sync.Mutex
	all []func() error
}

func atEnd(do func() error) {
	ends.Lock()
	defer ends.Unlock()
	ends.all = append(ends.all, do)
}

// Main runs the tests of a package, and removes the program, the sandbox and the data that
// they shared. TestMain of a package that uses [Binary] calls it.
func Main(m *testing.M) {
	status := m.Run()
	for _, end := range slices.Backward(ends.all) {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}
