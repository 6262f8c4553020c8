package integrate

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/dev"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/application"
)

// keyDirFlag names the application of a code base.
type keyDirFlag struct {
	KeyDir string `default:".frontdesk-dev" type:"folder" elsewhere:"" placeholder:"DIR" help:"The application of the \"frontdesk dev\" that runs in DIR, here or above; without one, the sandbox's own."`
}

// caller is an application that calls the API.
type caller struct {
	api         string // {base_url}
	application application.ID
	signer      *client.Signer
}

func newCaller(api string, id application.ID, kid, keyFile string) (caller, error) {
	key, err := client.ReadKey(kid, keyFile)
	if err != nil {
		return caller{}, err
	}
	signer, err := client.NewSigner(key)
	return caller{api, id, signer}, err
}

// caller returns the application of this code base: that of the dev that runs here, which it
// prints, or that of the sandbox in a directory.
func (f keyDirFlag) caller(r *term.Run, sandboxDir string) (caller, error) {
	running, err := f.running()
	if errors.Is(err, dev.ErrNone) {
		info, err := sandbox.ReadInfo(sandboxDir)
		if err != nil {
			return caller{}, err
		}
		return newCaller(info.APIURL, info.Application.ID, info.Application.KID, info.Application.PrivateKeyFile)
	}
	if err != nil {
		return caller{}, err
	}
	fmt.Fprintf(r.Err, "As the application of frontdesk dev: %s (%s).\n", running.Application.Name, running.Application.ID)
	return newCaller(running.APIURL, running.Application.ID, running.Application.KID, running.Application.PrivateKeyFile)
}

// running finds the dev that runs here, or the one of --dir.
func (f keyDirFlag) running() (dev.Running, error) {
	if f.KeyDir == "" {
		return dev.Running{}, dev.ErrNone
	}
	return dev.Find(f.KeyDir)
}

// DevCmd makes a code base an application of a sandbox.
type DevCmd struct {
	Dir            string   `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox to use. If none runs there, one is started, and stopped at the end."`
	KeyDir         string   `default:".frontdesk-dev" type:"folder" placeholder:"DIR" help:"Where the application's key is kept. The next start is the same application."`
	ForwardTo      string   `placeholder:"URL" help:"Where your program receives webhooks, such as http://localhost:3000/hook."`
	Name           string   `help:"The application's name, as staff will see it; without it, the working directory's."`
	Callback       []string `sep:"none" placeholder:"URL" help:"Address that staff may be sent to after approval; may be repeated. On loopback, any port will do."`
	Listen         string   `placeholder:"HOST:PORT" help:"Where the page and the key set are served, on loopback; without it, 127.0.0.1:8090 or, if that is taken, another port."`
	ListenWebhooks string   `placeholder:"HOST:PORT" help:"Where webhooks are received, on loopback; without it, any port."`
	ListenAPI      string   `name:"listen-api" placeholder:"HOST:PORT" help:"Where a sandbox that is started serves the API; without it, 127.0.0.1:8080 or, if that is taken, another port."`
	Open           bool     `help:"Open the page in a browser."`
}

// Help is the long help.
func (*DevCmd) Help() string {
	return `In the directory of your own code:

  frontdesk dev --forward-to http://localhost:3000/hook

makes your code an application of a sandbox: with a key of its own (in .frontdesk-dev), enabled, with every grant and every webhook. Webhooks are verified and forwarded unchanged. A page shows each call with its fix and each webhook with your program's answer, and has buttons for the situations that your code must handle: events, rotated keys, a reset, another time. "frontdesk token mint --curl" in the same directory mints for that application.`
}

// Run runs until it is stopped.
func (c *DevCmd) Run(r *term.Run) error {
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	if c.Name == "" {
		c.Name = filepath.Base(here)
	}
	keys, dir := within(here, c.KeyDir), within(here, c.Dir)
	if keys == dir {
		return errors.New("the application's directory is one of its own: choose another with --key-dir")
	}
	return dev.Run(r.Context, dev.Config{
		KeyDir: keys, SandboxDir: dir, Listen: c.Listen, ListenWebhooks: c.ListenWebhooks, ListenAPI: c.ListenAPI,
		ForwardTo: c.ForwardTo, Name: c.Name, Callbacks: c.Callback, Open: c.Open, Machine: term.Machine(), Out: r.Out, Log: troubles(r.Err), Now: r.Now,
	})
}

func within(here, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(here, dir)
}

// troubles logs the problems that need attention.
func troubles(w io.Writer) *slog.Logger {
	return term.LogFrom(w, slog.LevelWarn)
}
