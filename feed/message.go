package feed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"frontdesk/domain/event"
)

// Place is an event's epoch and idx: an idx means one event within an epoch. The zero Place
// is before the first event. As text it is 3:41.
type Place struct {
	Epoch int
	Idx   int64
}

// String returns the place as text.
func (p Place) String() string { return fmt.Sprintf("%d:%d", p.Epoch, p.Idx) }

// MarshalText returns the place as text.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text of [Place.MarshalText].
func (p *Place) UnmarshalText(text []byte) error {
	var read Place
	if _, err := fmt.Sscanf(string(text), "%d:%d", &read.Epoch, &read.Idx); err != nil || read.String() != string(text) || read.Epoch < 0 || read.Idx < 0 {
		return fmt.Errorf("%q is no place in the log: write its epoch and its idx, such as 1:42", text)
	}
	*p = read
	return nil
}

// Message is an event of the log as it is published.
type Message struct {
	Epoch        int
	event.Stored // as in the database, without boxes

	// Before is the idx that a follower of the practice must have reached before it handles
	// this event: the practice's previous event has that idx, or an earlier one. It is 0 if
	// there is none, or if that is not known.
	Before int64
}

// Place returns the event's place.
func (m Message) Place() Place { return Place{m.Epoch, m.Idx} }

// The headers of a message, beside [nats.MsgIdHdr], which is the event's id. Practice and name
// are in its subject.
const (
	headerEpoch   = "Frontdesk-Epoch"
	headerIdx     = "Frontdesk-Idx"
	headerStream  = "Frontdesk-Stream"
	headerVersion = "Frontdesk-Version"
	headerTime    = "Frontdesk-Time" // when the event was recorded, RFC 3339 in UTC
	headerPatient = "Frontdesk-Patient"
	headerBefore  = "Frontdesk-Before"
)

// noPractice takes the tenant's place in the subjects of events that belong to no practice.
const noPractice = "_"

const (
	subjects     = "frontdesk.log."
	streamPrefix = "frontdesk-log-"
)

// StreamName returns the name of the broker's stream of an epoch.
func StreamName(epoch int) string { return streamPrefix + strconv.Itoa(epoch) }

// Subject returns the subject of an event of an epoch: frontdesk.log.3.elm-street.patient-request.submitted.v1.
// The name ">" matches every event of the practice.
func Subject(epoch int, tenant, name string) string {
	if tenant == "" {
		tenant = noPractice
	}
	return subjects + strconv.Itoa(epoch) + "." + tenant + "." + name
}

// Subjects returns the pattern that matches every subject of an epoch.
func Subjects(epoch int) string { return subjects + strconv.Itoa(epoch) + ".>" }

// content is the body of a message.
type content struct {
	Data     jsontext.Value `json:"data"`
	Metadata jsontext.Value `json:"metadata"`
}

// Encode returns a message as it is published: its body is `{"data":…,"metadata":…}`, both
// byte for byte as stored.
func Encode(m Message) *nats.Msg {
	msg := &nats.Msg{
		Subject: Subject(m.Epoch, m.Stream.Tenant, m.Name),
		Data:    slices.Concat([]byte(`{"data":`), m.Data, []byte(`,"metadata":`), m.Metadata, []byte(`}`)),
		Header: nats.Header{
			nats.MsgIdHdr: {m.ID.String()}, headerEpoch: {strconv.Itoa(m.Epoch)}, headerIdx: {strconv.FormatInt(m.Idx, 10)},
			headerStream: {m.Stream.ID.String()}, headerVersion: {strconv.Itoa(m.Version)}, headerTime: {m.At.UTC().Format(time.RFC3339Nano)},
		},
	}
	if m.Patient != uuid.Nil {
		msg.Header.Set(headerPatient, m.Patient.String())
	}
	if m.Before > 0 {
		msg.Header.Set(headerBefore, strconv.FormatInt(m.Before, 10))
	}
	return msg
}

// Decode returns the message that [Encode] has encoded, or an error that names the fault in it.
func Decode(subject string, header nats.Header, body []byte) (m Message, err error) {
	var c content
	if err := jsonv2.Unmarshal(body, &c); err != nil {
		return Message{}, fmt.Errorf("read the message at %s: %w", subject, err)
	}
	read := reader{header: header}
	m.Epoch = int(read.number(headerEpoch))
	m.Stored = event.Stored{
		Idx: read.number(headerIdx), ID: read.id(nats.MsgIdHdr), Stream: event.Stream{ID: read.id(headerStream)}, Version: int(read.number(headerVersion)),
		At: read.instant(headerTime), Data: c.Data, Metadata: c.Metadata,
	}
	if header.Get(headerPatient) != "" {
		m.Patient = read.id(headerPatient)
	}
	if header.Get(headerBefore) != "" {
		m.Before = read.number(headerBefore)
	}
	if read.err != nil {
		return Message{}, fmt.Errorf("read the message at %s: %w", subject, read.err)
	}
	tenant, name, found := strings.Cut(strings.TrimPrefix(subject, subjects+strconv.Itoa(m.Epoch)+"."), ".")
	if !found || Subject(m.Epoch, strings.TrimPrefix(tenant, noPractice), name) != subject {
		return Message{}, fmt.Errorf("read the message at %s: the subject is not one of epoch %d", subject, m.Epoch)
	}
	m.Stream.Tenant, m.Name = strings.TrimPrefix(tenant, noPractice), name
	return m, nil
}

// reader reads headers, and keeps the first error.
type reader struct {
	header nats.Header
	err    error
}

func (r *reader) number(name string) int64 { return read(r, name, parseNumber) }

func (r *reader) id(name string) uuid.UUID { return read(r, name, uuid.Parse) }

func (r *reader) instant(name string) time.Time {
	return read(r, name, func(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) })
}

func parseNumber(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

func read[T any](r *reader, name string, parse func(string) (T, error)) T {
	value, err := parse(r.header.Get(name))
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("header %s: %w", name, err)
	}
	return value
}

// EpochOf returns the epoch whose stream has a name, and 0 if none has.
func EpochOf(stream string) int {
	number, found := strings.CutPrefix(stream, streamPrefix)
	epoch, err := strconv.Atoi(number)
	if !found || err != nil || StreamName(epoch) != stream {
		return 0
	}
	return epoch
}

// API is the prefix of the questions that a follower's own account of the broker may ask of
// the log's account.
const API = "frontdesk.api"
