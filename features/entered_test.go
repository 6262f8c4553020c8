package features_test

import (
	"crypto/rand"
	"encoding/hex"
	"reflect"
	"strings"
	"time"

	"frontdesk/commands/commandtest"
	"frontdesk/domain/patient"
)

// entered is every personal value that a test has entered: unique words, each with a
// name for failures.
type entered struct {
	about patient.ID        // the patient of the events
	words map[string]string // the names, by the word
	staff map[string]string // names of staff and of their passkeys, which stay in clear
}

func newEntered() *entered {
	return &entered{words: map[string]string{}, staff: map[string]string{}}
}

// word returns a new word for a value.
func (e *entered) word(name string) string {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw)
	word := hex.EncodeToString(raw)
	if strings.HasPrefix(name, "staff.Registered.") || strings.HasPrefix(name, "staff.PasskeyAdded.") {
		e.staff[word] = name
	} else {
		e.words[word] = name
	}
	return word
}

// of returns a value of a type in which every personal text is a word, and the number
// of these words. All identifiers, pointers and lists are filled.
func (e *entered) of(typ reflect.Type) (v reflect.Value, words int) {
	before := len(e.words) + len(e.staff)
	v = reflect.New(typ).Elem()
	e.fill(v, typ.String())
	return v, len(e.words) + len(e.staff) - before
}

func (e *entered) fill(v reflect.Value, name string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(commandtest.Noon))
	case v.Type() == reflect.TypeFor[patient.ID]() && e.about != patient.ID{} && !strings.HasSuffix(name, ".Former"): // another patient
		v.Set(reflect.ValueOf(e.about))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		e.fill(v.Elem(), name)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		e.fill(v.Index(0), name)
	case v.Kind() == reflect.Array:
		raw := make([]byte, v.Len())
		_, _ = rand.Read(raw)
		reflect.Copy(v, reflect.ValueOf(raw).Convert(reflect.SliceOf(v.Type().Elem())))
	case v.Kind() == reflect.Struct:
		e.fillFields(v, name)
	}
}

func (e *entered) fillFields(v reflect.Value, name string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported():
		case field.Tag.Get("personal") != "":
			v.Field(i).SetString(e.word(name + "." + field.Name))
		default:
			e.fill(v.Field(i), name+"."+field.Name)
		}
	}
}
