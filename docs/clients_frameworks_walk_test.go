//go:build walk

package docs_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// receivers are the programs of docs/examples/receivers: the command, and the path of its webhooks.
var receivers = map[string]struct {
	command []string
	path    string
}{
	"Express": {[]string{"node", "express.js"}, "/webhooks"},
	"Fastify": {[]string{"node", "fastify.js"}, "/webhooks"},
	"Next.js": {[]string{"node", "serve.js"}, "/webhooks"}, // without Next.js, which calls the same function
	"FastAPI": {[]string{python, "fastapi_app.py"}, "/webhooks/"},
	"Django":  {[]string{python, "django_app.py"}, "/webhooks"},
}

// serveRoute serves a route as Next.js does.
const serveRoute = `
import { createServer } from "node:http";
import { env } from "node:process";
import { Readable } from "node:stream";
import { POST } from "./next.js";

createServer(async (call, response) => {
  const answer = await POST(new Request("http://127.0.0.1" + call.url, { method: "POST", body: Readable.toWeb(call), duplex: "half" }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(env.PORT, "127.0.0.1");
`

// Each program takes a right webhook once, and names the reason of a refusal.
func TestWalkFrameworksReceive_D159(t *testing.T) {
	t.Parallel()
	dir := receiversFolder(t)
	library := absolute(t, "../client/python")
	jwks := newPublisher(t).publish(string(service.JWKS()))
	for name, receiver := range receivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := freePort(t)
			program := inGroup(exec.CommandContext(t.Context(), receiver.command[0], receiver.command[1:]...), dir,
				"PORT="+port, "FRONTDESK_JWKS="+jwks, "FRONTDESK_TENANT=elm-street", "PYTHONPATH="+library)
			var said strings.Builder
			program.Stderr = &said
			out, err := program.StdoutPipe()
			if err == nil {
				err = program.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = program.Process.Kill() // it serves until then
				_ = program.Wait()
			}()
			url := "http://127.0.0.1:" + port + receiver.path
			waitFor(t, "127.0.0.1:"+port, &said)
			right := webhook(freshly)
			for _, c := range []struct {
				body   string
				status int
				says   string
			}{
				{right, http.StatusNoContent, ""},
				{right, http.StatusConflict, "replayed"},
				{webhook(freshly, claim("jti", "2"), claim("tenantId", "oak-lane")), http.StatusBadRequest, "wrong-tenant"},
			} {
				if status, says := post(t, url, c.body); status != c.status || says != c.says {
					t.Errorf("it is answered %d %q, want %d %q", status, says, c.status, c.says)
				}
			}
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				if strings.HasSuffix(lines.Text(), "0000000000f1 is opened") {
					return
				}
			}
			t.Errorf("it handles no webhook: %v", lines.Err())
		})
	}
}

// receiversFolder is a copy of the receivers with the packages that they need.
func receiversFolder(t *testing.T) string {
	t.Helper()
	const folder = "examples/receivers"
	clients, err := theClients()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := npmPackages(folder)
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	dir := filepath.Join(base, "app")
	for _, err := range []error{
		os.Mkdir(filepath.Join(base, "node_modules"), 0o755),
		os.Symlink(absolute(t, clients["TypeScript"].dir), filepath.Join(base, "node_modules", "frontdesk-client")),
		os.CopyFS(dir, os.DirFS(folder)),
		os.Symlink(modules, filepath.Join(dir, "node_modules")),
		os.WriteFile(filepath.Join(dir, "serve.js"), []byte(serveRoute), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// waitFor waits until a program listens.
func waitFor(t *testing.T, address string, said *strings.Builder) {
	t.Helper()
	for range 300 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("nothing listens at %s: %s", address, said)
}
