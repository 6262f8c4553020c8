//go:build prove

package main_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/docs"
)

const (
	containersDir   = "FRONTDESK_PROVE_CONTAINERS" // names the folder of the test, in its world
	containersLimit = 20 * time.Minute             // for any lines that are typed
	gateway         = "10.89.77.1"                 // where containers reach the test
)

// inTheirWorld runs the test again where the images of docs/operate/containers.md are.
func inTheirWorld(t *testing.T) bool {
	t.Helper()
	return inAWorld(t, func(dir, script string) {
		meetTheirSchema(t, filepath.Join(dir, "frontdesk"))
		build := exec.CommandContext(t.Context(), "unshare", "--mount", "bash", "-euc", script+docs.OperatorsBlocks(t, containersPage, "Containers")[0])
		build.Dir, build.Env = filepath.Join(dir, "frontdesk"), podmanIn(dir)
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the images: %v:\n%s", err, said)
		}
	})
}

// inAWorld runs the test again in namespaces of its own: with them end all containers,
// mounts, networks and firewall rules. It reports whether this is the inner run. Images are
// made outside, where there is a network, next to a copy of the clone in dir. The lines for
// that begin the script.
func inAWorld(t *testing.T, images func(dir, script string)) bool {
	t.Helper()
	if os.Getenv(containersDir) != "" {
		return true
	}
	dir := t.TempDir()
	script := prepared(t, dir)
	began := clock.Start()
	images(dir, script)
	t.Logf("the images took %s", began.Elapsed().Round(time.Second))
	again := exec.CommandContext(t.Context(), "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
		"bash", "-euc", script+`ip link set lo up; exec "$@"`, "-", os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "1h")
	again.Env, again.Stdout, again.Stderr = append(podmanIn(dir), containersDir+"="+dir), os.Stdout, os.Stderr
	if err := again.Run(); err != nil {
		t.Errorf("in a world of its own: %v", err)
	}
	return false
}

// composeSpec checks files as `docker compose` does: compose is built on it.
const composeSpec = "github.com/compose-spec/compose-go/v2/cmd@v2.16.2"

func meetTheirSchema(t *testing.T, dir string) {
	t.Helper()
	for _, file := range []string{"compose.yaml", "compose.single.yaml"} {
		check := exec.CommandContext(t.Context(), "go", "run", composeSpec, "-no-interpolation", file)
		check.Dir = dir
		if said, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", file, err, said)
		}
	}
}

// prepared copies the clone, as git knows it, next to podman's storage. It returns the first
// commands in a new world: crun requires the controllers in one version of cgroups, and
// podman also keeps state outside its folder.
func prepared(t *testing.T, dir string) string {
	t.Helper()
	clone := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
		`mkdir "$1/frontdesk" "$1/tmp"; cd ../..; git ls-files -coz --exclude-standard | tar --create --null --files-from - | tar --extract --directory "$1/frontdesk"`, "-", dir)
	if said, err := clone.CombinedOutput(); err != nil {
		t.Fatalf("copy the clone: %v: %s", err, said)
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "containers.conf"), fmt.Sprintf(`[containers]
default_ulimits = ["nofile=%d:%d", "nproc=32768:32768"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[network]
network_config_dir = %q
`, files.Max, files.Max, filepath.Join(dir, "networks")))
	writeFile(t, filepath.Join(dir, "storage.conf"), fmt.Sprintf("[storage]\ndriver = \"overlay\"\ngraphroot = %q\nrunroot = %q\n",
		filepath.Join(dir, "images"), filepath.Join(dir, "run")))
	return `if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
for dir in /run/containers /run/crun /run/libpod /run/netns /dev/shm; do mkdir -p $dir; mount -t tmpfs tmpfs $dir; done
`
}

// podmanIn has podman keep everything in the folder.
func podmanIn(dir string) []string {
	return append(os.Environ(), "CONTAINERS_CONF="+filepath.Join(dir, "containers.conf"), "CONTAINERS_STORAGE_CONF="+filepath.Join(dir, "storage.conf"),
		"TMPDIR="+filepath.Join(dir, "tmp"))
}

// containers is a machine with podman, with an operator's shell, and an application that
// calls and receives webhooks.
type containers struct {
	t       *testing.T
	dir     string // a copy of the clone
	compose string // COMPOSE_FILE
	app     *httptest.Server
	client  *http.Client

	keys        atomic.Pointer[[]byte]
	application bearertest.Application
	patient     string
	answered    *answers
	webhooks    *counted // webhooks, by jti
	refused     counted  // other statuses than 200
	opened      atomic.Int64
}

func newContainers(t *testing.T) *containers {
	t.Helper()
	c := &containers{t: t, dir: filepath.Join(os.Getenv(containersDir), "frontdesk")}
	listener, err := net.Listen("tcp", ":0")
	c.must(err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(*c.keys.Load())
	})
	mux.HandleFunc("POST /hook", c.hear)
	c.app = &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	c.app.StartTLS()
	t.Cleanup(c.app.Close)
	c.keys.Store(new([]byte))
	c.client = c.app.Client()
	c.client.Timeout = time.Minute
	c.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:443")
	}
	writeFile(t, filepath.Join(c.dir, "..", "tls.pem"), pemOf(t, c.app))
	t.Cleanup(c.lastWords)
	return c
}

// toTrust is a compose file by which processes reach the application of the test, and trust
// its certificate. It makes the network, so that its addresses are known.
func (c *containers) toTrust(processes ...string) string {
	c.t.Helper()
	certificate, _, _ := strings.Cut(pemOf(c.t, c.app), "-----BEGIN PRIVATE KEY")
	file := filepath.Join(c.dir, "app.pem")
	c.must(os.WriteFile(file, []byte(certificate), 0o644))
	text := "services:\n"
	for _, name := range processes {
		text += fmt.Sprintf(`  %s:
    extra_hosts: ["app.example.com:%s"]
    environment: {SSL_CERT_FILE: /run/app.pem, FRONTDESK_ALLOW_NETWORK: %s/24}
    volumes: ["./app.pem:/run/app.pem:ro"]
`, name, gateway, gateway)
	}
	writeFile(c.t, filepath.Join(c.dir, "test.yaml"), text)
	c.run("podman network create --subnet " + gateway + "/24 --gateway " + gateway + " frontdesk_default")
	return "test.yaml"
}

// run types lines, with the test's hosts and files in place of the document's. It returns
// their output.
func (c *containers) run(lines string) string {
	c.t.Helper()
	said, err := c.try(lines)
	if err != nil {
		c.t.Fatalf("%s: %v:\n%s", lines, err, said)
	}
	return said
}

func (c *containers) try(lines string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), containersLimit)
	defer cancel()
	lines = strings.NewReplacer("/etc/ssl/frontdesk.pem", "../tls.pem", "api.example.org", "example.com", "auth.example.org", "auth.example.com",
		"https://app.example.org", "https://app.example.com:"+portOf(c.t, c.app.Listener.Addr().String())).Replace(lines)
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", lines)
	shell.Dir = c.dir
	shell.Env = append(os.Environ(), "COMPOSE_FILE="+c.compose)
	var said, trouble strings.Builder
	shell.Stdout, shell.Stderr = &said, &trouble
	began := clock.Start()
	err := shell.Run()
	first, _, _ := strings.Cut(strings.TrimSpace(lines), "\n")
	c.t.Logf("%s: %.1f s", first, began.Elapsed().Seconds())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, &trouble)
	}
	return said.String(), err
}

// lastWords shows the containers' logs, if the test has failed.
func (c *containers) lastWords() {
	if !c.t.Failed() {
		return
	}
	said, _ := c.try("podman ps --all; for name in $(podman ps --all --format '{{.Names}}'); do echo \"== $name\"; podman logs --tail 15 $name 2>&1; done")
	c.t.Logf("the containers:\n%s", said)
}

func (c *containers) read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	c.must(err)
	return string(text)
}

func (c *containers) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}
