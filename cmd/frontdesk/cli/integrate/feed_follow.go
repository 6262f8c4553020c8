package integrate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain"
	"frontdesk/feed"
)

type feedFollowCmd struct {
	term.BrokerFlags `embed:""`
	NATSAPI          string     `name:"nats-api" default:"frontdesk.api" placeholder:"PREFIX" help:"Prefix of the JetStream API: $$JS.API for users of the log's own account."`
	Tenant           string     `placeholder:"TENANT" help:"Only events of this practice."`
	Name             string     `placeholder:"NAME" help:"The follower's name, as in \"feed grant\". The practice's name if it is not given."`
	Event            []string   `placeholder:"NAME" help:"Only events of this name; may be repeated. A name without a version matches all its versions."`
	After            feed.Place `xor:"begin" placeholder:"EPOCH:IDX" help:"Begin after this position, as a line has printed it."`
	FromStart        bool       `xor:"begin" help:"Begin with the first event of the log. Without it, only new events are printed."`
	Count            int        `placeholder:"N" help:"Stop after this many events."`
}

// Help returns the details, which a help text has no room for.
func (c *feedFollowCmd) Help() string {
	return `Prints, for each event: its place, when it was recorded, practice, stream, version in the stream, name, data and metadata. Personal values
are [personal]. Store the place of the last line together with its result: with --after, you go on from there and miss nothing.
It waits for a broker that is away. It ends with status 1 if it cannot go on: if the log has lost events that were printed, if the
broker no longer has the next event, or if an event is of a newer program. See docs/integrate/followers.md.`
}

// followed is an event as it is printed.
type followed struct {
	Place    feed.Place      `json:"place"`
	ID       uuid.UUID       `json:"id"`
	Time     time.Time       `json:"time"`
	Practice string          `json:"practice"`
	Stream   uuid.UUID       `json:"stream"`
	Version  int             `json:"version"`
	Name     string          `json:"name"`
	Patient  uuid.UUID       `json:"patient,omitzero"`
	Data     json.RawMessage `json:"data"`
	Metadata json.RawMessage `json:"metadata"`
}

// Run prints events until it is stopped, or until there were enough.
func (c *feedFollowCmd) Run(r *term.Run) error {
	names, err := eventsNamed(c.Event)
	if err != nil {
		return err
	}
	if err := c.Server().Check(); err != nil {
		return err
	}
	conn, err := c.Server().Connect(r.Context, "frontdesk feed follow", func(*nats.Conn, *nats.Subscription, error) {})
	if err != nil {
		return err
	}
	defer conn.Close()
	config := feed.Config{Conn: conn, API: c.NATSAPI, Practice: c.Tenant, Name: c.Name, Events: names, Log: term.NewLog(r.Err)}
	at, err := c.begin(r.Context, config)
	if err != nil {
		return err
	}
	config.After = func(context.Context) (feed.Place, error) { return at, nil } // it is asked once: every event is acknowledged
	sub, err := feed.NewSubscriber(config)
	if err != nil {
		return err
	}
	last, err := c.print(r, sub, at)
	fmt.Fprintf(r.Err, "Stopped; --after %s goes on from here.\n", last)
	return errors.Join(err, sub.Close(), sub.Err())
}

// begin returns the place behind which events are printed.
func (c *feedFollowCmd) begin(ctx context.Context, config feed.Config) (feed.Place, error) {
	if c.FromStart || c.After != (feed.Place{}) {
		return c.After, nil
	}
	return feed.End(ctx, config)
}

// print prints events, and returns the place of the last one.
func (c *feedFollowCmd) print(r *term.Run, sub *feed.Subscriber, at feed.Place) (last feed.Place, err error) {
	fmt.Fprintf(r.Err, "Following %s behind %s.\n", cmp.Or(c.Tenant, "the log"), at)
	messages, err := sub.Subscribe(r.Context, feed.Topic)
	if err != nil {
		return at, err
	}
	lines, printed := json.NewEncoder(r.Out), 0
	for msg := range messages {
		m, err := feed.Read(msg)
		if err != nil {
			return at, err
		}
		if err := lines.Encode(followedOf(m)); err != nil {
			return at, err
		}
		msg.Ack()
		at = m.Place()
		if printed++; printed == c.Count {
			break
		}
	}
	return at, nil
}

func followedOf(m feed.Message) followed {
	return followed{
		Place: m.Place(), ID: m.ID, Time: m.At, Practice: m.Stream.Tenant, Stream: m.Stream.ID, Version: m.Version, Name: m.Name,
		Patient: m.Patient, Data: m.Data, Metadata: m.Metadata,
	}
}

// eventsNamed returns the stored names of events, of which a version may be left out.
func eventsNamed(given []string) (names []string, err error) {
	for _, name := range given {
		before := len(names)
		for _, e := range domain.Events() {
			if stored := e.EventName(); stored == name || strings.HasPrefix(stored, name+".v") {
				names = append(names, stored)
			}
		}
		if len(names) == before {
			return nil, fmt.Errorf("there is no event %q: they are named like patient-request.submitted.v1, or patient-request.submitted for every version", name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
