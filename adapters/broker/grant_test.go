package broker_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/feed"
)

func TestDocumentedAccountsMatchPrinted_D103(t *testing.T) {
	t.Parallel()
	file := document(t, "nats-followers.conf")
	for name, tenant := range map[string]string{ours: ours, "everything": ""} {
		account, err := broker.Follower{Name: name, Tenant: tenant}.Account("$FRONTDESK_NATS_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_HASH")
		if err != nil || !strings.Contains(file, account) {
			t.Errorf("%v, nats-followers.conf does not hold\n%s", err, account)
		}
	}
}

// A granted follower gets access by a reload, and a removed one loses it.
func TestAFollowerComesAndGoesByReload_D103(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	account, err := broker.Follower{Name: theirs, Tenant: theirs}.Account("$FRONTDESK_NATS_OAK_LANE_HASH")
	w.must(err)
	if _, err := w.dial(theirs); err == nil {
		t.Error("a stranger is let in")
	}
	others := document(t, "nats-followers.conf")
	w.write("nats-followers.conf", others+"\n"+account)
	for range 2 { // the first one creates the account, the second one its imports
		w.must(w.servers[0].Reload())
	}
	conn := w.connect(theirs)
	if of, _ := numbers(t, w.read(w.stream(theirs, feed.API), theirs, 2, 1)); !slices.Equal(of, []uint64{8, 10, 12}) {
		t.Errorf("they read %d", of)
	}
	ended := make(chan struct{})
	conn.SetDisconnectErrHandler(func(*nats.Conn, error) { close(ended) })
	w.write("nats-followers.conf", others)
	w.must(w.servers[0].Reload())
	select {
	case <-ended:
	case <-w.ctx.Done():
		t.Error("who was taken out is still connected")
	}
	if _, err := w.dial(theirs); err == nil {
		t.Error("who was taken out is let in again")
	}
}

// The hashes may be in the environment, as nats.conf has them.
func TestTheServersReadTheirEnvironment_D103(t *testing.T) {
	t.Setenv("FRONTDESK_NATS_SERVER", "nats-1")
	for _, user := range users {
		t.Setenv("FRONTDESK_NATS_"+strings.ToUpper(strings.ReplaceAll(user, "-", "_"))+"_HASH", hash(t, user))
	}
	d := &documented{t: t, dir: t.TempDir()}
	d.certificate()
	text := d.alone(document(t, "nats.conf"))
	text = d.placed(text, filepath.Join(d.dir, "store"))
	d.plain("nats-followers.conf", document(t, "nats-followers.conf"))
	d.servers = append(d.servers, d.start(d.plain("nats.conf", text)))
	t.Cleanup(d.stop)
	for _, user := range users {
		d.connect(user).Close()
	}
}

// A later epoch has the consumers of the followers of the one before it, and no others.
func TestFollowersAreCarriedIntoTheNextEpoch_D103(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	_, err := w.admin.CreateConsumer(w.ctx, feed.StreamName(2), jetstream.ConsumerConfig{Durable: "by-hand", FilterSubject: "frontdesk.log.2.*.practice.>"})
	w.must(err)
	w.make(jetstream.StreamConfig{Name: feed.StreamName(3), Subjects: []string{feed.Subjects(3)}, FirstSeq: 13, DenyPurge: true})
	for range 2 {
		w.must(broker.Carry(w.ctx, w.relay, 2, 3))
	}
	stream, err := w.admin.Stream(w.ctx, feed.StreamName(3))
	w.must(err)
	got := map[string]string{}
	for info := range stream.ListConsumers(w.ctx).Info() {
		got[info.Name] = info.Config.FilterSubject
	}
	for name, filter := range map[string]string{ours: "frontdesk.log.3.elm-street.>", theirs: "frontdesk.log.3.oak-lane.>", "everything": "frontdesk.log.3.>"} {
		if got[name] != filter || len(got) != 3 {
			t.Errorf("consumers %v", got)
		}
	}
}

func TestFollowerNamesAreValidated_D103(t *testing.T) {
	t.Parallel()
	for f, right := range map[broker.Follower]bool{
		{Name: "elm-street", Tenant: "elm-street"}: true, {Name: "all"}: true, {Name: "elm-street-2", Tenant: "elm-street"}: true,
		{}: false, {Name: "a.b"}: false, {Name: "a", Tenant: ">"}: false, {Name: "*", Tenant: "elm-street"}: false, {Name: "LOG"}: false,
	} {
		if err := f.Check(); (err == nil) != right {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// The relay's rights in nats.conf are enough for it, and it cannot delete anything.
func TestTheRelaysCredentialsFillStreams_D103(t *testing.T) {
	t.Parallel()
	d := newDocumented(t, 1)
	server := broker.Server{URLs: []string{strings.Replace(d.servers[0].ClientURL(), "://", "://relay:relay@", 1)}, CA: filepath.Join(d.dir, "ca.pem")}
	d.must(server.Check())
	log := newLog(20)
	log.begin(2, 11)
	log.add(5)
	ctx, stop := context.WithCancel(t.Context())
	relay, logged := &broker.Relay{Server: server, Streams: broker.Streams{Replicas: 1}, Source: log}, &logged{}
	relay.Log = slog.New(slog.NewTextHandler(logged, nil))
	ended := make(chan error, 1)
	go func() { ended <- relay.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil || logged.String() != "" {
			t.Errorf("the relay ended with %v and said %s", err, logged)
		}
	}()
	w := &town{documented: d, ctx: ctx}
	w.admin, w.relay = w.stream("administrator", "$JS.API"), w.stream("relay", "$JS.API")
	ends(t, w.admin, feed.Epoch{Epoch: 2}, 16)
	if epochs, err := server.Grant(ctx, broker.Follower{Name: ours, Tenant: ours}); err != nil || epochs != 2 {
		t.Errorf("granted in %d epochs, %v", epochs, err)
	}
	if of, _ := numbers(t, w.read(w.stream(ours, feed.API), ours, 2, 1)); !slices.Equal(of, []uint64{11, 12, 13, 14, 15, 16}) {
		t.Errorf("read %d", of)
	}
	before := w.state()
	for _, end := range []func(context.Context) error{
		func(ctx context.Context) error { return w.relay.DeleteStream(ctx, feed.StreamName(1)) },
		func(ctx context.Context) error { return w.relay.DeleteConsumer(ctx, feed.StreamName(1), ours) },
	} {
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond) // a refusal is no answer
		if err := end(short); err == nil {
			t.Error("the relay's credentials end what others read")
		}
		cancel()
	}
	if after := w.state(); !slices.Equal(before, after) {
		t.Errorf("before %s\nafter %s", before, after)
	}
}
