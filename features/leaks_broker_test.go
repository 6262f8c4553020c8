package features_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/event"
	"frontdesk/feed"
)

// relayed is every message that was sent to the broker, with its subject and headers.
// It is the whole log.
func (k *keeping) relayed() (all []byte) {
	k.t.Helper()
	var head int64
	k.must(k.db.QueryRow(k.ctx, `SELECT head FROM sequencer`).Scan(&head))
	js := k.broker.JetStream()
	consumer, err := js.OrderedConsumer(k.ctx, feed.StreamName(1), jetstream.OrderedConsumerConfig{})
	k.must(err)
	messages, err := consumer.Messages()
	k.must(err)
	defer messages.Stop()
	for idx := int64(0); idx < head; {
		msg, err := messages.Next(jetstream.NextContext(k.ctx))
		k.must(err)
		is, err := msg.Metadata()
		k.must(err)
		idx = int64(is.Sequence.Stream)
		all = append(all, fmt.Sprintln(msg.Subject(), msg.Headers(), string(msg.Data()))...)
	}
	if !bytes.Contains(all, []byte(event.Hidden)) {
		k.t.Error("nothing personal was in what the broker was sent")
	}
	k.noBoxes(all)
	return all
}

// noBoxes reports encrypted values where none may be: their keys are in the database.
func (k *keeping) noBoxes(kept []byte) {
	k.t.Helper()
	rows, _ := k.db.Query(k.ctx, `SELECT sealed FROM events WHERE sealed IS NOT NULL`)
	boxes, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	k.must(err)
	sealed := map[string]string{}
	for _, box := range boxes {
		sealed[string(box)] = "a box of sealed values"
	}
	if k.none("the broker's messages", kept, sealed, ""); len(boxes) == 0 {
		k.t.Error("nothing is sealed")
	}
}

// stored are all files of the broker.
func (k *keeping) stored() (all []byte) {
	k.t.Helper()
	k.broker.Stop()
	k.must(filepath.WalkDir(k.broker.Dir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, text...)
		return err
	}))
	if !bytes.Contains(all, []byte(event.Hidden)) {
		k.t.Error("the broker's files hold no events as they were sent")
	}
	return all
}
