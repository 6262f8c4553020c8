// Package integrate holds the subcommands for those who build applications: the sandbox,
// tokens, webhooks, the feed, and checks of receivers and clients.
package integrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/application"
)

// IntegratorCmd queries a service as an application, and tests the programs of integrators.
type IntegratorCmd struct {
	Calls       integratorCallsCmd       `cmd:"" help:"List the application's calls at the practice." detail:"It explains why some were refused."`
	Deliveries  integratorDeliveriesCmd  `cmd:"" help:"List the application's webhooks and their outcomes."`
	Application integratorApplicationCmd `cmd:"" help:"Show the application's registration." detail:"And whether the practice has enabled it."`
	KeySet      integratorKeySetCmd      `cmd:"" help:"Show the application's cached key set." detail:"Which of its public keys the service holds, and the outcome of the last fetch."`
	Ping        integratorPingCmd        `cmd:"" help:"Send a test webhook." detail:"It shows the outcome."`

	CheckCommands `embed:""`
}

// asApplicationFlags name the application that asks the API, and the API's address.
type asApplicationFlags struct {
	keyDirFlag  `embed:""`
	Dir         string         `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox to ask, as its application unless another is named."`
	URL         string         `name:"url" elsewhere:"" placeholder:"URL" help:"Another service to ask: the practice's {base_url}."`
	Key         string         `type:"existingfile" elsewhere:"" help:"Another application's private RSA key (PEM)."`
	KID         string         `name:"kid" elsewhere:"" help:"Its kid in the application's JWKS."`
	Application application.ID `elsewhere:"" placeholder:"UUID" help:"The application's identifier."`
	JSON        bool           `name:"json" help:"Print one JSON object a line."`
}

// askLimit bounds a call of the API, in which a key set may be read.
const askLimit = 30 * time.Second

// client returns a client that makes one attempt. The sandbox is read only for values that
// the flags do not give.
func (f asApplicationFlags) client(r *term.Run) (*client.Client, error) {
	app, err := f.callerOf(r)
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{
		BaseURL: app.api, Application: app.application.String(), Signer: app.signer, Attempts: 1, Timeout: askLimit, Now: r.Now,
	})
}

func (f asApplicationFlags) callerOf(r *term.Run) (caller, error) {
	if (f.Key == "") != (f.Application == application.ID{}) {
		return caller{}, errors.New("give --key and --application together: the key is that application's")
	}
	if f.URL != "" && f.Key == "" {
		return caller{}, errors.New("with --url, also give --key and --application, and --kid unless it is the key's thumbprint")
	}
	if f.Key == "" {
		return f.caller(r, f.Dir)
	}
	if f.URL == "" {
		info, err := sandbox.ReadInfo(f.Dir)
		if err != nil {
			return caller{}, err
		}
		f.URL = info.APIURL
	}
	return newCaller(f.URL, f.Application, f.KID, f.Key)
}

// print prints an object a line for machines, or calls forPeople.
func (f asApplicationFlags) print(r *term.Run, value any, forPeople func()) error {
	if !f.JSON {
		forPeople()
		return nil
	}
	return json.NewEncoder(r.Out).Encode(value)
}

type integratorApplicationCmd struct {
	asApplicationFlags `embed:""`
}

// Run prints the application's registration.
func (c *integratorApplicationCmd) Run(r *term.Run) error {
	service, err := c.client(r)
	if err != nil {
		return err
	}
	found, err := service.Application(r.Context)
	if err != nil {
		return refusals.Plain(err)
	}
	return c.print(r, found, func() { printApplication(r, found) })
}

func printApplication(r *term.Run, a client.Application) {
	enabled := "has enabled it"
	if !a.Enabled {
		enabled = "has not enabled it, or there is no such practice: ask its manager to enable it"
	}
	fmt.Fprintf(r.Out, "%s (%s)\nPractice %s %s.\nIts key set is at %s .\n", a.Name, a.ApplicationID, a.TenantID, enabled, a.KeySetURL)
	list(r, "It may call", a.Grants, func(g client.Grant) string { return g.Endpoint + ":" + string(g.Mode) })
	list(r, "Staff are sent back to", a.Callbacks, func(url string) string { return url })
	list(r, "It receives", a.Webhooks, func(w client.RegisteredWebhook) string { return w.Event + " at " + w.URL })
	fmt.Fprintf(r.Out, "Members of staff let it act for them: %d; for one patient: %d\n", a.Authorisations.Standing, a.Authorisations.PatientScoped)
}

// list prints a heading and its items, or that there are none.
func list[T any](r *term.Run, heading string, items []T, text func(T) string) {
	if len(items) == 0 {
		fmt.Fprintf(r.Out, "%s: nothing\n", heading)
		return
	}
	fmt.Fprintf(r.Out, "%s:\n", heading)
	for _, item := range items {
		fmt.Fprintf(r.Out, "  %s\n", text(item))
	}
}

type integratorKeySetCmd struct {
	asApplicationFlags `embed:""`
	Reread             bool `help:"Make the service read the key set again now, at most once a minute."`
}

// Run prints the key set as the service has cached it.
func (c *integratorKeySetCmd) Run(r *term.Run) error {
	service, err := c.client(r)
	if err != nil {
		return err
	}
	ask := service.KeySet
	if c.Reread {
		ask = service.RereadKeySet
	}
	found, err := ask(r.Context)
	if err != nil {
		return refusals.Plain(err)
	}
	return c.print(r, found, func() { printKeySet(r, found) })
}

func printKeySet(r *term.Run, k client.KeySet) {
	fmt.Fprintf(r.Out, "The key set is at %s .\n", k.URL)
	list(r, "Cached keys", k.Keys, func(key client.HeldKey) string {
		return key.KID + ", since " + key.Since.Format(time.RFC3339)
	})
	if !k.FetchedAt.IsZero() {
		fmt.Fprintf(r.Out, "They were read at %s and are used until %s.\n", k.FetchedAt.Format(time.RFC3339), k.Until.Format(time.RFC3339))
	}
	last := k.LastFetch
	if last.At.IsZero() {
		fmt.Fprintln(r.Out, "The process that answers has not read it yet.")
		return
	}
	fmt.Fprintf(r.Out, "Last read at %s: %s. %s\n", last.At.Format(time.RFC3339), last.Outcome, last.Description)
	for _, key := range last.Keys {
		if !key.Usable {
			fmt.Fprintf(r.Out, "  %q cannot be used: %s\n", key.KID, key.Why)
		}
	}
}

type integratorPingCmd struct {
	asApplicationFlags `embed:""`
	Event              application.WebhookEvent `default:"record.opened" help:"The event whose URL the ping goes to."`
	Wait               time.Duration            `default:"20s" help:"How long to wait for the outcome; 0 to not wait."`
}

// pingPace is the interval at which a ping's outcome is asked for.
const pingPace = 200 * time.Millisecond

// Run sends a ping and follows it. If it does not arrive, Run returns an error.
func (c *integratorPingCmd) Run(r *term.Run) error {
	service, err := c.client(r)
	if err != nil {
		return err
	}
	ping, err := service.TestWebhook(r.Context, string(c.Event))
	if err != nil {
		return refusals.Plain(err)
	}
	if !c.JSON || c.Wait == 0 {
		err = c.print(r, ping, func() { fmt.Fprintf(r.Out, "A ping is on its way to %s (jti %s).\n", ping.URL, ping.JTI) })
	}
	if err != nil || c.Wait == 0 {
		return err
	}
	return c.follow(r, service, ping)
}

func (c *integratorPingCmd) follow(r *term.Run, service *client.Client, ping client.TestedWebhook) error {
	for waited := time.Duration(0); waited < c.Wait && background.Sleep(r.Context, pingPace); waited += pingPace {
		page, err := service.DeliveriesPage(r.Context, client.DeliveriesQuery{JTI: ping.JTI})
		if err != nil {
			return refusals.Plain(err)
		}
		if len(page.Deliveries) == 0 || page.Deliveries[0].FinishedAt.IsZero() {
			continue
		}
		d := page.Deliveries[0]
		if err := c.print(r, d, func() { printDelivery(r, d) }); err != nil || d.Outcome == "delivered" {
			return err
		}
		return fmt.Errorf("the ping did not arrive: %s", d.Outcome)
	}
	return fmt.Errorf("the ping has no outcome yet: ask with frontdesk integrator deliveries --jti %s", ping.JTI)
}
