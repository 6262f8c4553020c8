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

// ErrUnknownName means that a stored event has a name unknown to this program, because
// a newer program wrote it. Readers stop there.
var ErrUnknownName = errors.New("unknown event name")

// Codec encodes and decodes events. It is the only place for this, so conversions of
// events of an old form would belong here.
type Codec struct {
	types map[string]reflect.Type
}

// NewCodec returns a codec of the given events' types. Two types under one name
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

// Knows reports whether the codec has an event of a name.
func (c *Codec) Knows(name string) bool {
	_, known := c.types[name]
	return known
}

// Without returns the names of the codec, except those of some events, in alphabetical
// order. It is never nil.
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

// Encode returns the stored name and data of e. An event whose type the codec does not
// know is an error: it could never be decoded.
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

// Decode returns the event that is stored as data under name, or [ErrUnknownName].
func (c *Codec) Decode(name string, data []byte) (Event, error) {
	e, err := c.decode(name, data)
	if err != nil {
		return nil, err
	}
	return e.Interface().(Event), nil
}

// decode returns a settable value of the event's type. It uses json/v2, which takes
// less than half the time of encoding/json, because events are read far more often than
// written.
func (c *Codec) decode(name string, data []byte) (reflect.Value, error) {
	typ, known := c.types[name]
	if !known {
		return reflect.Value{}, fmt.Errorf("%w %q", ErrUnknownName, name)
	}
	target := reflect.New(typ)
	if err := jsonv2.Unmarshal(data, target.Interface()); err != nil {
		return reflect.Value{}, fmt.Errorf("decode %s: %w", name, err)
	}
	return target.Elem(), nil
}

// Clear returns an event in stored form, without encryption.
func (c *Codec) Clear(r Recorded) (Stored, error) {
	name, data, err := c.Encode(r.Event)
	if err != nil {
		return Stored{}, err
	}
	metadata, err := json.Marshal(r.Metadata)
	if err != nil {
		return Stored{}, fmt.Errorf("encode metadata of %s: %w", name, err)
	}
	return Stored{
		Idx: r.Idx, ID: r.ID, Stream: r.Stream, Version: r.Version, At: r.At, Name: name, Patient: r.About(), Data: data, Metadata: metadata,
	}, nil
}

// Redacted returns the JSON of v with [Hidden] in every field that is tagged
// `personal:"…"` and is not empty. Auditors see this unless they ask for more.
func Redacted(v any) ([]byte, error) { return hiding(v, func(step) bool { return true }) }

// WithoutSecrets returns the JSON of v with personal data. It has [Hidden] only in fields that
// are tagged `secret:"…"`, such as the key of a file, which contain no personal data.
func WithoutSecrets(v any) ([]byte, error) { return hiding(v, func(s step) bool { return s.secret }) }

// hiding returns the JSON of v with [Hidden] in some of its personal texts.
func hiding(v any, hidden func(step) bool) ([]byte, error) {
	shown := reflect.New(reflect.TypeOf(v)).Elem()
	shown.Set(reflect.ValueOf(v))
	if inner := innermost(shown.Type()); inner.Kind() == reflect.Struct {
		planOf(inner).within(shown, func(s step, text reflect.Value) {
			if hidden(s) {
				text.SetString(Hidden)
			}
		})
	}
	return json.Marshal(shown.Interface())
}
