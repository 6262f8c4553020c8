package event

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// HolderKind is the kind of a key's holder. The numbers are stored.
type HolderKind byte

// The kinds of holder. A submitted request is one of its own, because it may be linked
// to another patient later.
const (
	OfPatient      HolderKind = 1
	OfStaff        HolderKind = 2
	OfPractitioner HolderKind = 3 // of an act claim
	OfRequest      HolderKind = 4
)

// String returns the kind as people read it.
func (k HolderKind) String() string {
	if int(k) < len(holderKinds) {
		return holderKinds[k]
	}
	return fmt.Sprintf("holder of kind %d", byte(k))
}

var holderKinds = [...]string{"practice", "patient", "staff", "practitioner", "request"}

// Holder is the person or request that a personal value belongs to, within one
// practice.
type Holder struct {
	Kind HolderKind
	ID   uuid.UUID
}

// Personal is the personal values of one holder in an event: those of its data first,
// then those of its metadata, each in the order of the fields. It has no empty values.
type Personal struct {
	Of     Holder
	Known  string // identity of a practitioner, who has no identifier; "" for others
	Values []string
	Erased bool // the holder was erased, so the values no longer exist
}

// These replace a personal value that is not empty.
const (
	Hidden = "[personal]" // the value was not requested, or the reader may not see it
	Erased = "[erased]"   // its holder was erased
)

// ErrOtherValues means that personal values do not fit the event.
var ErrOtherValues = errors.New("these are not the personal values of this event")

// errUnclaimed refuses to store the name of a practitioner without a key's holder.
var errUnclaimed = errors.New("the event names a practitioner, and its metadata has no act claim that does")

// The tags of personal fields name their holder. All such fields are texts.
const (
	tagPatient      = "patient"
	tagStaff        = "staff"
	tagPractitioner = "practitioner"
	tagRequest      = "request"
	tagSubject      = "subject" // the request's if the event has fields of one, otherwise the patient's
)

var metadataPlan = planOf(reflect.TypeFor[Metadata]())

// personalIn calls do with every personal text of an event that is not empty, and its
// tag. The event is a settable struct.
func personalIn(e reflect.Value, m *Metadata, do func(tag string, text reflect.Value)) {
	data := planOf(e.Type())
	subject := tagPatient
	if data.has(tagRequest) {
		subject = tagRequest
	}
	whose := func(s step, text reflect.Value) {
		if s.tag == tagSubject {
			s.tag = subject
		}
		do(s.tag, text)
	}
	data.each(e, whose)
	if m.Actor.OnBehalfOf != nil || m.Idempotency.Body != "" {
		metadataPlan.each(reflect.ValueOf(m).Elem(), whose)
	}
}

// Split returns the stored form of an event, with [Hidden] in place of its personal
// values, and these values, by holder in the order of their kinds. The event is not
// changed. A value without a holder, as in an event without a patient, stays in its
// field. A practitioner who is not named in the metadata is an error.
func (c *Codec) Split(r Recorded) (Stored, []Personal, error) {
	e := reflect.New(reflect.TypeOf(r.Event)).Elem()
	e.Set(reflect.ValueOf(r.Event))
	var all []Personal
	unclaimed := false
	personalIn(e, &r.Metadata, func(tag string, text reflect.Value) {
		of, known := r.holder(tag)
		if of.ID == uuid.Nil && known == "" {
			unclaimed = unclaimed || of.Kind == OfPractitioner
			return
		}
		at := slices.IndexFunc(all, func(p Personal) bool { return p.Of.Kind == of.Kind })
		if at < 0 {
			at, all = len(all), append(all, Personal{Of: of, Known: known})
		}
		all[at].Values = append(all[at].Values, text.String())
		text.SetString(Hidden)
	})
	if unclaimed {
		return Stored{}, nil, fmt.Errorf("split %s: %w", r.EventName(), errUnclaimed)
	}
	slices.SortFunc(all, func(a, b Personal) int { return int(a.Of.Kind) - int(b.Of.Kind) })
	r.Event = e.Interface().(Event)
	s, err := c.Clear(r)
	return s, all, err
}

// holder returns the holder of the values of a tag. A practitioner has no identifier.
func (r Recorded) holder(tag string) (of Holder, known string) {
	switch tag {
	case tagPatient:
		return Holder{OfPatient, r.About()}, ""
	case tagRequest:
		return Holder{OfRequest, r.Stream.ID}, ""
	case tagStaff:
		return Holder{OfStaff, r.Stream.ID}, ""
	}
	if claim := r.Metadata.Actor.OnBehalfOf; claim != nil {
		known = claim.Practitioner.knownBy()
	}
	return Holder{Kind: OfPractitioner}, known
}

// About returns the patient that an event is about; zero for no patient.
func (r Recorded) About() uuid.UUID {
	if about, ok := r.Event.(Patient); ok {
		return about.PatientID()
	}
	return uuid.Nil
}

// knownBy returns the identity of the practitioner: the e-mail, without regard to
// capitals; otherwise the name or the number.
func (p Practitioner) knownBy() string {
	for _, known := range []string{strings.ToLower(p.Email), p.Name, p.GMCNumber} {
		if known != "" {
			return known
		}
	}
	return ""
}

// Hide returns the event with [Hidden] in place of every personal value that is not
// empty. The event is not changed. Decisions read such events.
func Hide(e Event) Event {
	plan := planOf(reflect.TypeOf(e))
	if plan == nil {
		return e
	}
	hidden := reflect.New(reflect.TypeOf(e)).Elem()
	hidden.Set(reflect.ValueOf(e))
	plan.each(hidden, func(_ step, text reflect.Value) { text.SetString(Hidden) })
	return hidden.Interface().(Event)
}

// Join returns a stored event with the values of the given holders. Those of others
// stay hidden. It returns [ErrUnknownName] for an event unknown to the codec, and
// [ErrOtherValues] if the number of values differs from the event's.
func (c *Codec) Join(s Stored, personal []Personal) (Recorded, error) {
	e, err := c.decode(s.Name, s.Data)
	if err != nil {
		return Recorded{}, err
	}
	metadata, err := ParseMetadata(s.Metadata)
	if err != nil {
		return Recorded{}, err
	}
	if len(personal) > 0 {
		err = restore(e, &metadata, personal)
	}
	return Recorded{
		Event: e.Interface().(Event), Idx: s.Idx, ID: s.ID, Stream: s.Stream, Version: s.Version, At: s.At, Metadata: metadata,
	}, err
}

// restore puts values back into the fields in which [Codec.Split] found them.
func restore(e reflect.Value, m *Metadata, personal []Personal) error {
	of := map[HolderKind]*Personal{}
	for _, p := range personal {
		of[p.Of.Kind] = &p
	}
	missing := false
	personalIn(e, m, func(tag string, text reflect.Value) {
		p := of[kindOf[tag]]
		switch {
		case p == nil || text.String() != Hidden:
		case p.Erased:
			text.SetString(Erased)
		case len(p.Values) == 0:
			missing = true
		default:
			text.SetString(p.Values[0])
			p.Values = p.Values[1:]
		}
	})
	for _, p := range of {
		missing = missing || len(p.Values) > 0
	}
	if missing {
		return ErrOtherValues
	}
	return nil
}

var kindOf = map[string]HolderKind{
	tagPatient: OfPatient, tagStaff: OfStaff, tagPractitioner: OfPractitioner, tagRequest: OfRequest,
}
