package dev

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// register gives the application all rights in the sandbox. Rights that it has stay as they
// are.
func (d *dev) register(ctx context.Context, m *registration) (unknown bool, err error) {
	id := d.identity.Application
	err = d.atDesk(ctx, m.info, "", func(ctx context.Context, desk commands.Desk) error {
		err := desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: id, JWKSURL: d.jwksURL})
		if unknown = errors.Is(err, application.ErrUnknown); unknown {
			_, err = desk.RegisterApplication(ctx, commands.RegisterApplication{
				Application: id, Name: d.config.Name, JWKSURL: d.jwksURL, PatientScoped: true,
			})
		}
		if err != nil {
			return err
		}
		for _, callback := range d.config.Callbacks {
			if err := desk.AddCallback(ctx, commands.AddCallback{Application: id, Callback: callback}); err != nil {
				return err
			}
		}
		return sandbox.Equip(ctx, desk, id, d.jwksURL, m.receiver.URL())
	})
	return unknown, err
}

// unsubscribe ends all webhooks to the application.
func (d *dev) unsubscribe(m *registration) {
	ctx, cancel := context.WithTimeout(context.Background(), quitLimit)
	defer cancel()
	err := d.atDesk(ctx, m.info, "", func(ctx context.Context, desk commands.Desk) error {
		for _, kind := range application.WebhookEvents() {
			if err := desk.RemoveWebhook(ctx, commands.RemoveWebhook{Application: d.identity.Application, Event: kind}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && d.last().Away == "" {
		d.log.error("The sandbox goes on sending webhooks to %s: %v", m.receiver.URL(), err)
	}
}

// authorise lets the application act for a member of staff.
func (d *dev) authorise(ctx context.Context, m *registration) error {
	return d.atDesk(ctx, m.info, m.info.Staff.Username, func(ctx context.Context, desk commands.Desk) error {
		_, err := desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{
			Tenant: m.info.TenantID, Application: d.identity.Application, Username: m.info.Staff.Username,
		})
		return err
	})
}

// atDesk makes a change at the sandbox's desk as an operator who acts for a member of staff;
// "" is for none. It returns once the log has the change.
func (d *dev) atDesk(ctx context.Context, info sandbox.Info, as string, do func(context.Context, commands.Desk) error) error {
	sandbox.ForgetDatabases()
	keys, err := sealing.ReadRing(info.MasterKeyFile) // for texts about patients
	if err != nil {
		return err
	}
	follower := &sandbox.Follower{Real: d.config.Now}
	engine, err := app.Open(ctx, app.Config{
		DatabaseURL: info.DatabaseURL, MasterKeys: sealing.NewRing(keys...), AllowNetwork: loopback(), Now: follower.Now, RealNow: d.config.Now,
	})
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := follower.Follow(ctx, engine.Log.DB); err != nil {
		return err
	}
	actor, err := engine.Operator(ctx, d.config.Machine)
	if err != nil {
		return err
	}
	if as != "" {
		member, err := engine.Staff.StaffByUsername(ctx, info.TenantID, as)
		if err != nil {
			return fmt.Errorf("find the member of staff to act for: %w", err)
		}
		actor = actor.ActingFor(member.UUID)
	}
	if err := do(event.WithMetadata(ctx, event.Metadata{Actor: actor}), engine.Desk); err != nil {
		return err
	}
	return engine.Drain(ctx)
}

func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}
