package feed

import (
	"fmt"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"frontdesk/domain"
	"frontdesk/domain/event"
)

// codec knows the events of this program.
var codec = sync.OnceValues(func() (*event.Codec, error) { return event.NewCodec(domain.Events()...) })

// Recorded returns the event as this program knows it: the same as a reader of the
// database gets who opens nothing personal. An event of a newer program is
// [event.ErrUnknownName].
func (m Message) Recorded() (event.Recorded, error) {
	known, err := codec()
	if err != nil {
		return event.Recorded{}, err
	}
	r, err := known.Join(m.Stored, nil)
	if err != nil {
		return event.Recorded{}, fmt.Errorf("read the event at %s: %w", m.Place(), err)
	}
	return r, nil
}

// subjectKey is where a message's subject stands in watermill's metadata, beside its headers.
const subjectKey = "Frontdesk-Subject"

// Read returns what a watermill message of a [Subscriber] says, or of a copy of one.
func Read(msg *message.Message) (Message, error) {
	header := nats.Header{}
	for name, value := range msg.Metadata {
		header.Set(name, value)
	}
	return Decode(msg.Metadata.Get(subjectKey), header, msg.Payload)
}

// watermilled returns a message of the broker as watermill has it.
func watermilled(sent *nats.Msg) *message.Message {
	msg := message.NewMessage(sent.Header.Get(nats.MsgIdHdr), sent.Data)
	for name := range sent.Header {
		msg.Metadata.Set(name, sent.Header.Get(name))
	}
	msg.Metadata.Set(subjectKey, sent.Subject)
	return msg
}
