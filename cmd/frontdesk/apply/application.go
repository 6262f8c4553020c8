package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/parse"
)

func applicationID(text string) (application.ID, error) {
	id, ok := parse.SomeID(text)
	if !ok {
		return application.ID{}, noApplication(text)
	}
	return application.ID{UUID: id}, nil
}

func noApplication(text string) error { return wrongf("%q is not the UUID of an application", text) }

// ofApplication returns the steps of an application.
func (w *work) ofApplication(ctx context.Context, a *Application) ([]step, error) {
	uuid, ok := parse.SomeID(a.Application)
	if !ok {
		return []step{{begins, "application", func(context.Context) error { return noApplication(a.Application) }}}, nil
	}
	id := application.ID{UUID: uuid}
	current, err := w.current.application(ctx, id)
	if err != nil {
		return nil, err
	}
	steps := []step{
		{begins, ".", func(ctx context.Context) error { return w.register(ctx, id, a, current) }},
		{begins, "name", func(context.Context) error { return fixed("the application's name", a.Name, cmp.Or(current, a.Name)) }},
		{begins, "jwksUrl", func(ctx context.Context) error { return w.keys(ctx, id, a) }},
		{begins, "patientScoped", func(ctx context.Context) error { return w.mark(ctx, id, a.PatientScoped) }},
	}
	for n, c := range a.Callbacks {
		steps = append(steps, step{begins, fmt.Sprintf("callbacks[%d].url", n), func(ctx context.Context) error { return w.callback(ctx, id, c) }})
	}
	for n, g := range a.Grants {
		steps = append(steps, step{begins, fmt.Sprintf("grants[%d]", n), func(ctx context.Context) error { return w.grant(ctx, id, g) }})
	}
	for n, h := range a.Webhooks {
		steps = append(steps, step{begins, fmt.Sprintf("webhooks[%d]", n), func(ctx context.Context) error { return w.webhook(ctx, id, h) }})
	}
	return steps, nil
}

// register registers the application unless it already has a name.
func (w *work) register(ctx context.Context, id application.ID, a *Application, current string) error {
	if current != "" {
		return nil
	}
	_, err := w.desk.RegisterApplication(ctx, commands.RegisterApplication{Application: id, Name: a.Name, JWKSURL: a.JWKSURL})
	return err
}

func (w *work) keys(ctx context.Context, id application.ID, a *Application) error {
	if a.JWKSURL == "" {
		return nil
	}
	return w.desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: id, JWKSURL: a.JWKSURL})
}

func (w *work) mark(ctx context.Context, id application.ID, scoped *bool) error {
	switch {
	case scoped == nil:
		return nil
	case *scoped:
		return w.desk.MarkPatientScoped(ctx, commands.MarkPatientScoped{Application: id})
	}
	return w.desk.UnmarkPatientScoped(ctx, commands.UnmarkPatientScoped{Application: id})
}

func (w *work) callback(ctx context.Context, id application.ID, c Callback) error {
	if err := w.once("callback", c.URL); err != nil {
		return err
	}
	if c.Remove {
		return w.desk.RemoveCallback(ctx, commands.RemoveCallback{Application: id, Callback: c.URL})
	}
	return w.desk.AddCallback(ctx, commands.AddCallback{Application: id, Callback: c.URL})
}

func (w *work) grant(ctx context.Context, id application.ID, g Grant) error {
	grant := application.Grant{Endpoint: g.Endpoint, Mode: g.Mode}
	if err := w.once("grant", grant.String()); err != nil {
		return err
	}
	if g.Remove {
		return w.desk.RevokeEndpoint(ctx, commands.RevokeEndpoint{Application: id, Grant: grant})
	}
	return w.desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant})
}

var errBoth = wrong("leave out the url of a webhook that is to be removed")

func (w *work) webhook(ctx context.Context, id application.ID, h Webhook) error {
	if err := w.once("webhook", string(h.Event)); err != nil {
		return err
	}
	switch {
	case h.Remove && h.URL != "":
		return errBoth
	case h.Remove:
		return w.desk.RemoveWebhook(ctx, commands.RemoveWebhook{Application: id, Event: h.Event})
	}
	return w.desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: h.Event, URL: h.URL})
}

// application returns the name of an application, or "" if there is none.
func (s Current) application(ctx context.Context, id application.ID) (name string, err error) {
	entry, err := s.directory().Find(ctx, "", id)
	if errors.Is(err, application.ErrUnknown) {
		return "", nil
	}
	return entry.Name, err
}
