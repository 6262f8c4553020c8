package apply

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/commands"
	"frontdesk/domain/request"
)

// ofPractice returns the steps of a practice.
func (w *work) ofPractice(ctx context.Context, d *document) ([]step, error) {
	p := d.practice
	current, err := w.current.practice(ctx, p)
	if err != nil {
		return nil, err
	}
	steps := []step{{begins, ".", func(ctx context.Context) error { return w.practice(ctx, p, current) }}}
	if current.registered {
		steps = append(steps,
			step{begins, "name", func(context.Context) error { return fixed("the practice's name", p.Name, current.name) }},
			step{begins, "timeZone", func(context.Context) error { return fixed("the practice's time zone", p.TimeZone, current.zone) }})
	}
	for n, e := range p.Applications {
		steps = append(steps, step{opens, fmt.Sprintf("applications[%d].application", n), func(ctx context.Context) error { return w.enable(ctx, p.Tenant, e) }})
	}
	for n, r := range p.RequestTypes {
		at := fmt.Sprintf("requestTypes[%d]", n)
		steps = append(steps,
			step{settles, at + ".type", func(ctx context.Context) error { return w.switchType(ctx, p.Tenant, r) }},
			step{settles, at + ".hours", func(ctx context.Context) error { return w.hours(ctx, p.Tenant, r) }})
	}
	for n, c := range p.Closures {
		steps = append(steps, step{settles, fmt.Sprintf("closures[%d].from", n), func(ctx context.Context) error { return w.closure(ctx, p.Tenant, c) }})
	}
	for n, s := range p.Sites {
		steps = append(steps, w.ofSite(p.Tenant, fmt.Sprintf("sites[%d]", n), s, current.sites)...)
	}
	if p.PasskeyRoles != nil {
		steps = append(steps, step{settles, "passkeyRoles", func(ctx context.Context) error {
			return w.desk.SetPasskeyRule(ctx, commands.SetPasskeyRule{Tenant: p.Tenant, Roles: *p.PasskeyRoles, Seen: -1})
		}})
	}
	for n, m := range p.Staff {
		steps = append(steps, w.ofMember(d, fmt.Sprintf("staff[%d]", n), m, current.people[m.Username])...)
	}
	return steps, nil
}

// practice registers the practice unless it exists.
func (w *work) practice(ctx context.Context, p *Practice, current currentPractice) error {
	if current.registered {
		return nil
	}
	return w.desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: p.Tenant, Name: p.Name, TimeZone: p.TimeZone})
}

func (w *work) enable(ctx context.Context, tenant string, e Enablement) error {
	id, err := applicationID(e.Application)
	if err != nil {
		return err
	}
	if err := w.once("application", id.String()); err != nil {
		return err
	}
	if w.refused[id.String()] {
		return nil // its own document reports it
	}
	if e.Enabled != nil && !*e.Enabled {
		return w.desk.DisableApplication(ctx, commands.DisableApplication{Tenant: tenant, Application: id})
	}
	return w.desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id})
}

func (w *work) switchType(ctx context.Context, tenant string, r RequestType) error {
	if err := w.once("request type", string(r.Type)); err != nil {
		return err
	}
	switch {
	case r.SwitchedOff == nil:
		return r.Type.Known()
	case *r.SwitchedOff:
		return w.desk.SwitchRequestTypeOff(ctx, commands.SwitchRequestTypeOff{Tenant: tenant, RequestType: r.Type})
	}
	return w.desk.SwitchRequestTypeOn(ctx, commands.SwitchRequestTypeOn{Tenant: tenant, RequestType: r.Type})
}

func (w *work) hours(ctx context.Context, tenant string, r RequestType) error {
	if r.Hours == nil || !slices.Contains(request.Types(), r.Type) { // refused at its own place
		return nil
	}
	return w.desk.SetOpeningHours(ctx, commands.SetOpeningHours{Tenant: tenant, RequestType: r.Type, Hours: *r.Hours})
}

var errNoFrom = wrong("a closure needs from: without it, each run would begin another closure")

// closure closes the practice, or calls a closure off. A past closure cannot be changed.
func (w *work) closure(ctx context.Context, tenant string, c Closure) error {
	from, err := instant(c.From)
	if err != nil {
		return err
	}
	until, err := instant(c.Until)
	switch {
	case err != nil:
		return err
	case from.IsZero():
		return errNoFrom
	case !until.IsZero() && until.After(from) && !until.After(w.desk.Now()):
		return nil
	case !c.Remove:
		return w.desk.ClosePractice(ctx, commands.ClosePractice{Tenant: tenant, From: from, Until: until})
	case from.Before(w.desk.Now()):
		return w.desk.ReopenPractice(ctx, commands.ReopenPractice{Tenant: tenant})
	}
	return w.desk.ReopenPractice(ctx, commands.ReopenPractice{Tenant: tenant, From: from})
}
