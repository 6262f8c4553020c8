package event

import (
	"reflect"
	"slices"
	"sync"
)

// plan locates the personal texts of a type.
type plan []step

// step is a field of a struct that is personal, or contains personal fields.
type step struct {
	index  int
	tag    string // of a personal text; otherwise ""
	secret bool   // never shown
	inner  plan   // of the field's value, pointee or elements
}

var plans sync.Map // of reflect.Type to plan

// planOf returns the plan of a struct; nil if it has no personal fields.
func planOf(typ reflect.Type) plan {
	if known, ok := plans.Load(typ); ok {
		return known.(plan)
	}
	var made plan
	for i := range typ.NumField() {
		field := typ.Field(i)
		tag := field.Tag.Get("personal")
		inner := innermost(field.Type)
		switch {
		case tag != "":
			made = append(made, step{index: i, tag: tag, secret: field.Tag.Get("secret") != ""})
		case inner.Kind() == reflect.Struct && field.IsExported():
			if plan := planOf(inner); plan != nil {
				made = append(made, step{index: i, inner: plan})
			}
		}
	}
	plans.Store(typ, made)
	return made
}

func innermost(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	return typ
}

// has reports whether a field has the tag.
func (p plan) has(tag string) bool {
	return slices.ContainsFunc(p, func(s step) bool { return s.tag == tag || s.inner.has(tag) })
}

// each calls do with every personal text that is not empty. It copies the values on the
// path, so that do may set the text without changing shared values.
func (p plan) each(in reflect.Value, do func(s step, text reflect.Value)) {
	for _, s := range p {
		field := in.Field(s.index)
		switch {
		case s.tag == "":
			s.inner.within(field, do)
		case field.Len() > 0:
			do(s, field)
		}
	}
}

func (p plan) within(field reflect.Value, do func(s step, text reflect.Value)) {
	switch field.Kind() {
	case reflect.Pointer:
		if field.IsNil() {
			return
		}
		copied := reflect.New(field.Type().Elem())
		copied.Elem().Set(field.Elem())
		field.Set(copied)
		p.within(copied.Elem(), do)
	case reflect.Slice:
		if field.Len() == 0 {
			return
		}
		copied := reflect.MakeSlice(field.Type(), field.Len(), field.Len())
		reflect.Copy(copied, field)
		field.Set(copied)
		for i := range copied.Len() {
			p.within(copied.Index(i), do)
		}
	default:
		p.each(field, do)
	}
}
