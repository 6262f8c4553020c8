package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
)

// ErrUnknownName says that a stored event has a name that this program does
// not know: it was written by a newer one. Readers stop there.
var ErrUnknownName = errors.New("unknown event name")

// Codec turns events into stored bytes and back. It is the only place that
// does, and so the place for upcasts, when a first one is needed.
type Codec struct {
	types map[string]reflect.Type
}

// NewCodec knows the given events by their names. Two types under one name
// are an error.
func NewCodec(events ...Event) (*Codec, error) {
	types := make(map[string]reflect.Type, len(events))
	for _, e := range events {
		if other, taken := types[e.EventName()]; taken {
			return nil, fmt.Errorf("the event name %q is taken by both %v and %T", e.EventName(), other, e)
		}
		types[e.EventName()] = reflect.TypeOf(e)
	}
	return &Codec{types}, nil
}

// Without is the names that the codec knows but for those of some events, in
// order; never nil.
func (c *Codec) Without(events ...Event) []string {
	types := maps.Clone(c.types)
	for _, e := range events {
		delete(types, e.EventName())
	}
	names := make([]string, 0, len(types))
	names = slices.AppendSeq(names, maps.Keys(types))
	slices.Sort(names)
	return names
}

// Encode is the stored name and data of e. An event that the codec was not
// made with is an error: it could never be read again.
func (c *Codec) Encode(e Event) (name string, data []byte, err error) {
	name = e.EventName()
	if c.types[name] != reflect.TypeOf(e) {
		return "", nil, fmt.Errorf("encode %T: %w %q", e, ErrUnknownName, name)
	}
	data, err = json.Marshal(e)
	if err != nil {
		return "", nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return name, data, nil
}

// Decode is the event stored as data under name; [ErrUnknownName] if there is
// no such event. Everything is read far more often than it is written, by
// consumers, rebuilds and auditors, and json/v2 reads in less than half the time.
func (c *Codec) Decode(name string, data []byte) (Event, error) {
	typ, known := c.types[name]
	if !known {
		return nil, fmt.Errorf("%w %q", ErrUnknownName, name)
	}
	target := reflect.New(typ)
	if err := jsonv2.Unmarshal(data, target.Interface()); err != nil {
		return nil, fmt.Errorf("decode %s: %w", name, err)
	}
	return target.Elem().Interface().(Event), nil
}
