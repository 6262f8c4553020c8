package term

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

// ErrInvalidID refuses an identifier that has no refusal of its own.
var ErrInvalidID = fault.New(fault.Invalid, "invalid-id", "Give a UUID of 36 characters.")

// IDMapper reads an identifier. It refuses the UUID of zeros, which nothing has: a
// command would take it for none, and act on something else.
func IDMapper(invalid *fault.Error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("uuid", &text); err != nil {
			return err
		}
		id, ok := parse.ID(text)
		switch {
		case !ok:
			return fmt.Errorf("%q is not a UUID", text)
		case id == uuid.Nil:
			return invalid.With("--%s must not be the UUID of zeros, which nothing has.", ctx.Value.Name)
		}
		if target.Kind() == reflect.Struct { // the identifier of one kind embeds it
			target = target.Field(0)
		}
		target.Set(reflect.ValueOf(id))
		return nil
	}
}

// InstantMapper reads an instant in RFC 3339.
func InstantMapper() kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("instant", &text); err != nil {
			return err
		}
		at, ok := parse.Instant(text)
		if !ok {
			return fmt.Errorf("%q is no instant in RFC 3339, such as 2026-03-02T12:00:00Z", text)
		}
		target.Set(reflect.ValueOf(at))
		return nil
	}
}

// Folder reads the name of a folder. The empty name would be wherever the command is run.
func Folder(ctx *kong.DecodeContext, target reflect.Value) error {
	var name string
	if err := ctx.Scan.PopValueInto("folder", &name); err != nil {
		return err
	}
	if name == "" {
		return errors.New("name a folder, or leave it out")
	}
	target.SetString(name)
	return nil
}

// Idx is a place in the log, from 1. The zero idx is none.
type Idx int64

// UnmarshalText reads a whole number from 1.
func (i *Idx) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no idx: the log counts from 1", text)
	}
	*i = Idx(n)
	return nil
}
