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

// Recorded returns the event as this program knows it: as read from the database by a
// reader that decrypts no personal data. An event of a newer program is
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

// subjectKey is the key of a message's subject in watermill's metadata, next to its headers.
const subjectKey = "Frontdesk-Subject"

// Read decodes a watermill message of a [Subscriber], or a copy of one.
func Read(msg *message.Message) (Message, error) {
	header := nats.Header{}
	for name, value := range msg.Metadata {
		header.Set(name, value)
	}
	return Decode(msg.Metadata.Get(subjectKey), header, msg.Payload)
}

// watermillMessage converts a message of the broker into one of watermill.
func watermillMessage(sent *nats.Msg) *message.Message {
	msg := message.NewMessage(sent.Header.Get(nats.MsgIdHdr), sent.Data)
	for name := range sent.Header {
		msg.Metadata.Set(name, sent.Header.Get(name))
	}
	msg.Metadata.Set(subjectKey, sent.Subject)
	return msg
}
