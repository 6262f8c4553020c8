package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb"
	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// checkLimit bounds each look of [Check].
const checkLimit = 15 * time.Second

// Check checks all requirements of [New] and [App.Run]. It changes nothing and serves no
// calls. If the database cannot be used, it reports only that. Of a service that runs it checks
// the programs next to it and the calls from outside, and not whether its ports are free.
func Check(ctx context.Context, config Config, running *Outside) []Finding {
	config.setDefaults()
	all := checkDatabase(ctx, config, running != nil)
	if running == nil {
		all = append(all, checkAddresses(ctx, config)...)
	} else {
		all = append(append(all, config.staffPages()), running.Check(ctx)...)
	}
	if len(config.Broker.URLs) > 0 {
		all = append(all, found("broker", "can be asked for as it is said; whether it is there, was not tried", config.checkBroker()))
	}
	if config.Traces.URL != "" {
		all = append(all, within(ctx, config.collector))
	}
	return all
}

func checkDatabase(ctx context.Context, config Config, running bool) []Finding {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	e, err := connected(ctx, config)
	cancel()
	_, otherSchema := errors.AsType[*postgres.SchemaError](err)
	switch {
	case otherSchema:
		return []Finding{found("database", "can be reached", nil), found("schema", "", err)}
	case err != nil:
		return []Finding{found("database", "", err)}
	}
	defer e.Close()
	all := []Finding{found("database", "can be reached", nil), found("schema", "is this program's", nil)}
	looks := append([]look{e.roles, e.writable, e.masterKey, e.ledgerKept, e.signingKey}, e.checks()...)
	if running {
		looks = append(looks, e.processes, e.signed, e.archived)
	}
	for _, look := range looks {
		all = append(all, within(ctx, look))
	}
	return all
}

func within(ctx context.Context, look look) Finding {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkLimit)
	defer cancel()
	return look(ctx)
}

// roles warns of a role that no rule of the database binds, and of one that is not meant to serve.
func (e *Engine) roles(ctx context.Context) Finding {
	roles, err := postgres.RolesOf(ctx, e.background)
	serves := []slog.Attr{slog.String("role", roles.Serves)}
	switch {
	case err != nil:
		return found("roles", "", err)
	case roles.Superuser || roles.Serves == roles.Owner:
		return Finding{What: "roles", Warns: true, Says: "no rule of the database binds a superuser or the owner: serve as " + postgres.AppRole, About: serves}
	case !roles.App:
		return found("roles", "", fmt.Errorf("the role %s may not serve: use %s, or GRANT %[2]s TO it", roles.Serves, postgres.AppRole))
	}
	return found("roles", fmt.Sprintf("%s serves, and %s owns", roles.Serves, roles.Owner), nil)
}

func (e *Engine) writable(ctx context.Context) Finding {
	return found("changes", "the database takes them", postgres.CheckWritable(ctx, e.background))
}

// masterKey checks that the master key is the database's.
func (e *Engine) masterKey(ctx context.Context) Finding {
	if e.config.MasterKeys.Empty() {
		return found("master key", "", sealing.ErrNoMasterKey)
	}
	is, err := e.keyring.Check(ctx)
	says := "it decrypts the stored keys (" + is + ")"
	switch {
	case err != nil:
		return found("master key", "", err)
	case is == "":
		says = "the database has none yet: the one that is given becomes its own (" + e.config.MasterKeys.IDs()[0] + ")"
	}
	return found("master key", says, nil)
}

// signingKey looks for the key that signs webhooks. The first one is made at the start.
func (e *Engine) signingKey(ctx context.Context) Finding {
	keys, err := e.SigningKeys().All(ctx)
	if err != nil {
		return found("signing key", "", err)
	}
	active := slices.IndexFunc(keys, func(k projections.SigningKey) bool { return k.State == signingkey.StateActive })
	switch {
	case len(keys) == 0:
		return found("signing key", "there is none yet: the first start makes it", nil)
	case active < 0:
		return Finding{What: "signing key", Warns: true, Says: "no key signs, so no webhook is sent: run frontdesk key activate"}
	}
	return found("signing key", "webhooks can be signed", e.vault().Check(ctx, keys[active].KID))
}

func checkAddresses(ctx context.Context, config Config) []Finding {
	all := []Finding{config.staffPages(), config.free(ctx, "public listener", config.Listen)}
	if config.PrivateListen != "" {
		all = append(all, config.free(ctx, "private listener", config.PrivateListen))
	}
	return all
}

// staffPages warns of passwords that can be read on the way.
func (c *Config) staffPages() Finding {
	if c.AuthURL == "" {
		return found("staff pages", "any loopback host", nil)
	}
	at, err := staffweb.ParseURL(c.AuthURL)
	if err == nil && at.Scheme == "http" && !application.IsLoopback(at.Hostname()) {
		return Finding{
			What: "staff pages", Warns: true, Says: "the staff pages are reached without TLS: passwords can be read on the way",
			About: []slog.Attr{slog.String("auth_url", c.AuthURL)},
		}
	}
	return found("staff pages", c.AuthURL, err)
}

// free checks that an address can be listened on.
func (c *Config) free(ctx context.Context, what, address string) Finding {
	listener, err := opened(ctx, c.Listening, address)
	if err != nil {
		return found(what, "", err)
	}
	return found(what, address+" is free", listener.Close())
}
