//go:build prove

package docs_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	sandboxes "frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
)

// theOpenAPITools are two generators for TypeScript, and newman.
var theOpenAPITools = npm("testdata/openapi")

// tools are in a folder of a test's own, next to the description that the sandbox serves.
type tools struct {
	dir, bin string
	sandbox  sandboxes.Info
	document openAPIDocument
}

// openAPIDocument holds the parts of the description that these tests read.
type openAPIDocument struct {
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Webhooks   map[string]any                                 `json:"webhooks"`
	Paths      map[string]map[string]struct{ Summary string } `json:"paths"`
	Components struct {
		Schemas struct {
			ErrorCode struct {
				Enum []string `json:"x-extensible-enum"`
			}
		} `json:"schemas"`
		RequestBodies map[string]struct {
			Content map[string]struct{ Example string }
		} `json:"requestBodies"`
		Examples map[string]struct{ Value json.RawMessage } `json:"examples"`
	} `json:"components"`
}

func openAPITools(t *testing.T) tools {
	t.Helper()
	fetched, err := theOpenAPITools()
	if err != nil {
		t.Fatal(`The generators need Node.js 18 or newer with npm; "make deps" installs them. `, err)
	}
	tools := openAPIFolder(t)
	tools.bin = filepath.Join(fetched, "node_modules", ".bin")
	if err := os.Symlink(filepath.Join(fetched, "node_modules"), filepath.Join(tools.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return tools
}

// openAPIFolder returns the folder without the packages of npm.
func openAPIFolder(t *testing.T) tools {
	t.Helper()
	s, err := theSandbox()
	if err != nil {
		t.Fatal(err)
	}
	info, err := sandboxes.ReadInfo(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	tools := tools{dir: t.TempDir(), sandbox: info}
	if err := os.CopyFS(tools.dir, os.DirFS("testdata/openapi")); err != nil {
		t.Fatal(err)
	}
	description := output(t, "", ".", "curl", "-sS", "--fail-with-body", info.APIURL+"/transactional-api/openapi.json")
	if err := json.Unmarshal([]byte(description), &tools.document); err != nil {
		t.Fatal(err)
	}
	tools.write(t, "openapi.json", description)
	return tools
}

func (o tools) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(o.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts one of the tools, with telemetry off.
func (o tools) run(t *testing.T, tool string, arguments ...string) (string, error) {
	t.Helper()
	silent := []string{"REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "DO_NOT_TRACK=1", "NO_COLOR=1", "CI=1", filepath.Join(o.bin, tool)}
	return tryOutput(t.Context(), "", o.dir, "env", append(silent, arguments...)...)
}

// token is one of the sandbox's application, for a call that is made now.
func (o tools) token(t *testing.T) string {
	t.Helper()
	signer, err := testworld.Signer(o.sandbox.Application.KID, o.sandbox.Application.PrivateKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Token(o.sandbox.Application.ID.String(), "", clock.System())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// exhaustive is a program that only compiles while a switch over the events of the webhooks
// leaves nothing out, and codes are open.
func exhaustive(importing string, events []string) string {
	var text strings.Builder
	text.WriteString(importing)
	text.WriteString("export const later: ErrorCode = \"a-code-of-tomorrow\";\n")
	text.WriteString("export function event(value: WebhookClaims): number {\n  switch (value.event) {\n")
	for i, value := range events {
		fmt.Fprintf(&text, "    case %q: return %d;\n", value, i)
	}
	text.WriteString("    default: { const never: never = value; return never; }\n  }\n}\n")
	return text.String()
}

func TestProveTypeScriptGenerators_D98(t *testing.T) {
	t.Parallel()
	o := openAPITools(t)
	if out, err := o.run(t, "openapi-typescript", "openapi.json", "-o", "generated/openapi-typescript.ts"); err != nil || strings.Contains(out, "⚠") {
		t.Fatalf("openapi-typescript: %v\n%s", err, out)
	}
	if out, err := o.run(t, "openapi-ts", "-f", "openapi-ts.config.mjs"); err != nil {
		t.Fatalf("hey-api: %v\n%s", err, out)
	}
	servers, _ := json.Marshal(o.document.Servers)
	o.write(t, "generated/servers.ts", "export const servers = "+string(servers)+" as const;\n")
	generators := map[string]string{
		"openapi-typescript": "import type { components } from \"./generated/openapi-typescript.js\";\n" +
			"type ErrorCode = components[\"schemas\"][\"ErrorCode\"];\ntype WebhookClaims = components[\"schemas\"][\"WebhookClaims\"];\n",
		"hey-api": "import type { ErrorCode, WebhookClaims } from \"./generated/hey-api/types.gen.js\";\n",
	}
	codes, events := o.document.Components.Schemas.ErrorCode.Enum, slices.Sorted(maps.Keys(o.document.Webhooks))
	for name, importing := range generators {
		o.write(t, "closed-"+name+".ts", exhaustive(importing, events))
	}
	if out, err := o.run(t, "tsc", "-p", "."); err != nil {
		t.Fatalf("what is generated does not compile: %v\n%s", err, out)
	}
	if out, err := tryOutput(t.Context(), "", o.dir, "node", "out/call.js", o.token(t), o.sandbox.Patients[0].ID.String()); err != nil || out != "called\n" {
		t.Errorf("the generated clients: %v\n%s", err, out)
	}
	for name, importing := range generators { // a switch that leaves one out does not compile
		o.write(t, "closed-"+name+".ts", exhaustive(importing, events[1:]))
	}
	_, err := o.run(t, "tsc", "-p", ".", "--noEmit")
	for name := range generators {
		if open := regexp.MustCompile(`(?m)^closed-` + name + `\.ts.* is not assignable to type 'never'`); err == nil || len(open.FindAllString(err.Error(), -1)) != 1 {
			t.Errorf("%s: the events are not closed: %v", name, err)
		}
	}
	provetest.Tried(t, len(codes), "codes")
	provetest.Tried(t, len(generators), "generators")
}

func TestProveGoGenerator_D98(t *testing.T) {
	t.Parallel()
	o := openAPIFolder(t)
	dir := filepath.Join(o.dir, "go")
	o.write(t, "go/generated.go", output(t, "", dir, "go", "tool", "oapi-codegen", "-config", "config.yaml", "../openapi.json"))
	output(t, "", dir, "go", "build", "-o", "integrator", ".")
	var claims strings.Builder
	for _, body := range o.document.Components.RequestBodies {
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(body.Content["application/jwt"].Example, ".")[1])
		if err != nil {
			t.Fatal(err)
		}
		claims.Write(append(payload, '\n'))
	}
	out := output(t, claims.String(), dir, "./integrator", o.document.Servers[0].URL, o.token(t), o.sandbox.Patients[0].ID.String())
	for event := range o.document.Webhooks {
		if !strings.Contains(out, event) {
			t.Errorf("the generated union does not read %s: %s", event, out)
		}
	}
	if !strings.HasSuffix(out, "called\n") {
		t.Error(out)
	}
	provetest.Tried(t, len(o.document.Webhooks), "webhooks")
}
