// Command follower shows how to follow the log of frontdesk: it keeps, in an SQLite file, how
// many patient requests of each type each practice had on each day, how many of them are
// completed, and how long that took.
//
//	follower --nats nats://elm-street:…@nats-1:4222 --tenant elm-street --store requests.db
//
// It may be killed at any moment, and started again: nothing is counted twice or left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"frontdesk/feed"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "follower:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	servers := flag.String("nats", "nats://127.0.0.1:4222", "servers of NATS, with user and password")
	api := flag.String("api", feed.API, "where NATS is asked")
	tenant := flag.String("tenant", "", "the practice that is followed; all of them if it is not given")
	name := flag.String("name", "", "the follower's name; the practice's if it is not given")
	file := flag.String("store", "requests.db", "file of what is counted")
	flag.Parse()

	store, err := open(ctx, *file)
	if err != nil {
		return err
	}
	defer store.Close()
	conn, err := nats.Connect(*servers, nats.Name("follower"), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(250*time.Millisecond))
	if err != nil {
		return fmt.Errorf("connect to NATS: %w", err)
	}
	defer conn.Close()
	config := feed.Config{
		Conn: conn, API: *api, Practice: *tenant, Name: *name, Events: handled, After: store.Place, Passed: store.Pass,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	for {
		err := follow(ctx, config, store)
		lost, is := errors.AsType[*feed.LostError](err)
		if !is {
			return err
		}
		fmt.Fprintln(os.Stderr, "follower: everything is counted again:", lost)
		if err := store.Forget(ctx); err != nil {
			return err
		}
	}
}

func take(msg *message.Message, store *Store) error {
	m, err := feed.Read(msg)
	if err != nil {
		return err
	}
	return store.Handle(msg.Context(), m)
}

// follow follows until ctx ends, or until it cannot go on.
func follow(ctx context.Context, config feed.Config, store *Store) error {
	sub, err := feed.NewSubscriber(config)
	if err != nil {
		return err
	}
	messages, err := sub.Subscribe(ctx, feed.Topic)
	if err != nil {
		return err
	}
	for msg := range messages {
		if err := take(msg, store); err != nil {
			fmt.Fprintln(os.Stderr, "follower:", err)
			msg.Nack() // it comes again
			continue
		}
		msg.Ack()
	}
	return errors.Join(sub.Close(), sub.Err())
}
