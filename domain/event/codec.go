package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// ErrUnknownName says that a stored event has a name that this program does
// not know, because a newer program wrote it. Readers stop there.
var ErrUnknownName = errors.New("unknown event name")

// Codec turns events into stored bytes and back. Nothing else does, so this is where
// events of an old form would be brought into the present one.
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

// Without returns the names that the codec knows, except those of some events,
// in alphabetical order. It is never nil.
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

// Encode returns the stored name and data of e. An event whose type the codec
// does not know is an error: it could never be read again.
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

// decode returns a settable value of the event's type. It uses json/v2, which takes less
// than half the time of encoding/json, because events are read far more often than
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

// Clear returns an event as it is stored without sealing anything.
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
		Idx: r.Idx, ID: r.ID, Stream: r.Stream, Version: r.Version, At: r.At, Name: name, Patient: r.patient(), Data: data, Metadata: metadata,
	}, nil
}

// Redacted returns the JSON of v with [Hidden] in every field that is tagged
// `personal:"…"` and is not empty. Auditors see this unless they ask for more.
func Redacted(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("redact %T: %w", v, err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("redact %T: %w", v, err)
	}
	redact(reflect.TypeOf(v), tree)
	return json.Marshal(tree)
}

// Shown returns the JSON of v for those who ask for personal data. It has [Hidden] only in
// fields that are tagged `secret:"…"`, such as the key of a file, which say nothing about
// anybody.
func Shown(v any) ([]byte, error) {
	shown := reflect.New(reflect.TypeOf(v)).Elem()
	shown.Set(reflect.ValueOf(v))
	if shown.Kind() == reflect.Struct {
		planOf(shown.Type()).each(shown, func(s step, text reflect.Value) {
			if s.secret {
				text.SetString(Hidden)
			}
		})
	}
	return json.Marshal(shown.Interface())
}

// redact walks a JSON tree along the type it was made from.
func redact(typ reflect.Type, tree any) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch node := tree.(type) {
	case []any:
		for _, item := range node {
			redact(typ.Elem(), item)
		}
	case map[string]any:
		if typ.Kind() == reflect.Struct {
			redactFields(typ, node)
		}
	}
}

func redactFields(typ reflect.Type, node map[string]any) {
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value, present := node[name]
		switch {
		case field.Anonymous && name == "": // its fields are in the same object
			redact(field.Type, node)
		case !present || value == nil || value == "":
		case field.Tag.Get("personal") != "":
			node[name] = Hidden
		default:
			redact(field.Type, value)
		}
	}
}
