package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/devkit/trigger"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// act executes the action of a button, and describes the result.
type act func(ctx context.Context, m *registration, form url.Values) (done string, err error)

// acts are the buttons of the page. An action ends with dev, not with the page that began it.
func (d *dev) acts(ctx context.Context) map[string]page.Act {
	acts := map[string]page.Act{}
	for name, do := range map[string]act{
		"trigger": d.trigger, "retrigger": d.retrigger, "test": d.test, "again": d.again, "read-keys": d.readKeys, "rotate": d.rotate,
		"authorise": d.letAct, "clock": d.setClock, "reset": d.reset,
	} {
		acts[name] = func(form url.Values) { d.act(ctx, form, do) }
	}
	return acts
}

const actLimit = 6 * time.Minute // more than a reset may take

// act executes one action at a time, and logs its result.
func (d *dev) act(ctx context.Context, form url.Values, do act) {
	d.turn.Lock()
	defer d.turn.Unlock()
	ctx, cancel := context.WithTimeout(ctx, actLimit)
	defer cancel()
	if d.member != nil && d.last().Away != "" {
		d.look(ctx) // the last poll may have met a busy moment
	}
	if d.member == nil || d.last().Away != "" {
		d.log.error("That was not done: %v.", errNotJoined)
		return
	}
	done, err := do(ctx, d.member, form)
	if err != nil {
		d.log.error("That was not done: %v", refusals.Plain(err))
	} else if done != "" {
		d.log.info("%s", done)
	}
	d.look(ctx)
}

// trigger makes an event happen to a patient.
func (d *dev) trigger(ctx context.Context, m *registration, form url.Values) (string, error) {
	var of patient.ID
	if err := of.UnmarshalText([]byte(form.Get("patient"))); err != nil {
		return "", errors.New("choose a patient")
	}
	return d.pull(ctx, m, application.WebhookEvent(form.Get("event")), of)
}

// retrigger makes the event of a webhook happen once more, so that a new webhook is signed.
func (d *dev) retrigger(ctx context.Context, m *registration, form url.Values) (string, error) {
	number, err := strconv.Atoi(form.Get("number"))
	if err != nil {
		return "", errors.New("name the webhook to trigger again")
	}
	webhook, err := d.inbox.Find(number)
	if err != nil {
		return "", err
	}
	of, err := patientOf(webhook, m.info)
	if err != nil {
		return "", err
	}
	return d.pull(ctx, m, application.WebhookEvent(webhook.Event()), of)
}

// patientOf returns the patient of a webhook, or the sandbox's first one if it names none.
func patientOf(w forward.Webhook, info sandbox.Info) (patient.ID, error) {
	var data struct {
		PatientID   patient.ID
		PatientName string
	}
	if len(w.Verified.Data) == 0 || json.Unmarshal(w.Verified.Data, &data) != nil || len(info.Patients) == 0 {
		return patient.ID{}, errors.New("this webhook is not one that can be triggered")
	}
	for _, p := range info.Patients {
		if p.ID == data.PatientID || p.Name == data.PatientName {
			return p.ID, nil
		}
	}
	return info.Patients[0].ID, nil
}

// pull makes an event happen to a patient.
func (d *dev) pull(ctx context.Context, m *registration, event application.WebhookEvent, of patient.ID) (string, error) {
	pull := trigger.Trigger{Tenant: m.info.TenantID, Application: d.identity.Application, By: m.info.Staff.Username, Patient: of}
	if len(m.info.Sites) > 0 && len(m.info.Rooms) > 0 {
		pull.Site, pull.Room = m.info.Sites[0].ID, m.info.Rooms[0].ID
	}
	err := d.atDesk(ctx, m.info, m.info.Staff.Username, func(ctx context.Context, desk commands.Desk) error {
		_, err := pull.Pull(ctx, desk, event)
		return err
	})
	return fmt.Sprintf("%s has happened to %s. Its webhook is on its way.", event, nameOf(m.info, pull.Patient)), err
}

func nameOf(info sandbox.Info, id patient.ID) string {
	for _, p := range info.Patients {
		if p.ID == id {
			return p.Name
		}
	}
	return "the patient " + id.String()
}

// test has the service send a ping.
func (d *dev) test(ctx context.Context, m *registration, form url.Values) (string, error) {
	ping, err := m.client.TestWebhook(ctx, form.Get("event"))
	return fmt.Sprintf("A test webhook (ping) is on its way to where %s goes; its jti is %s.", ping.Event, ping.JTI), err
}

// again hands the same bytes of a webhook on once more.
func (d *dev) again(ctx context.Context, _ *registration, form url.Values) (string, error) {
	number, err := strconv.Atoi(form.Get("number"))
	if err != nil {
		return "", errors.New("name the webhook to send again")
	}
	webhook, err := d.inbox.Again(ctx, number)
	if err != nil {
		return "", err
	}
	d.logAttempt(webhook.Event()+" resent", webhook.Attempts[len(webhook.Attempts)-1])
	return "", nil
}

// readKeys has the service read the key set now.
func (d *dev) readKeys(ctx context.Context, m *registration, _ url.Values) (string, error) {
	set, err := m.client.RereadKeySet(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The service has read the key set, and holds %d of its keys.", len(set.Keys)), nil
}

// rotate publishes the next key, and requests that the service reads it now. If it has read
// the set less than a minute ago, it will do so later on its own.
func (d *dev) rotate(ctx context.Context, m *registration, _ url.Values) (string, error) {
	kid, err := d.keys.rotate()
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("The next key, %s, is published next to the current one. It signs once the service has cached it", kid)
	if _, err := m.client.RereadKeySet(ctx); err != nil {
		return fmt.Sprintf("%s, which may take a moment: %v", done, refusals.Plain(err)), nil
	}
	return done + ".", nil
}

// letAct lets the application act for the sandbox's member of staff.
func (d *dev) letAct(ctx context.Context, m *registration, _ url.Values) (string, error) {
	return fmt.Sprintf("The application may act for %s, for 12 hours from now.", m.info.Staff.Username), d.authorise(ctx, m)
}

// setClock moves the sandbox's clock.
func (d *dev) setClock(ctx context.Context, _ *registration, form url.Values) (string, error) {
	remote, err := sandbox.Reach(d.config.SandboxDir)
	if err != nil {
		return "", err
	}
	setting := form.Get("setting")
	if setting == "" {
		return "", errors.New("set the clock with +12h, an instant such as 2027-03-28T00:59:00Z, or real")
	}
	at, err := remote.Clock(ctx, setting)
	return fmt.Sprintf("The sandbox's clock shows %s.", at.UTC().Format(time.RFC3339)), err
}

// reset resets the practice to its first state, and registers the application again.
func (d *dev) reset(ctx context.Context, m *registration, _ url.Values) (string, error) {
	remote, err := sandbox.Reach(d.config.SandboxDir)
	if err != nil {
		return "", err
	}
	d.log.info("The sandbox is being reset.")
	if err := remote.Reset(ctx); err != nil {
		return "", err
	}
	info, err := sandbox.ReadInfo(d.config.SandboxDir)
	if err != nil {
		return "", err
	}
	if _, err := d.join(ctx, info); err != nil {
		return "", err
	}
	return "The sandbox was reset; the application is registered again, with the same identifier.", nil
}
