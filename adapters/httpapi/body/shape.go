package body

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shape lists the members of an object in the contract.
type shape []member

// member is one member. It may hold an object, or a list of objects.
type member struct {
	name string
	of   shape // of the object; nil if it is none
	list bool
}

// flat is the shape of an object without nested objects.
func flat(names ...string) shape {
	known := make(shape, len(names))
	for i, name := range names {
		known[i].name = name
	}
	return known
}

// names returns the names of all members.
func (s shape) names() []string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.name
	}
	return names
}

// all returns the names of all members, and of those within them.
func (s shape) all() []string {
	names := s.names()
	for _, m := range s {
		names = append(names, m.of.all()...)
	}
	return names
}

// checkNames notes the members that are not in the shape. It refuses a known name in
// another case, which a more lenient reader could take for the known one. It ignores
// values of the wrong type.
func (f *Form) checkNames(object map[string]any, place string, known shape) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		i := slices.IndexFunc(known, func(m member) bool { return strings.EqualFold(m.name, name) })
		switch {
		case i < 0:
			f.Unknown.add(place, name, known)
		case known[i].name != name:
			f.invalidate(errCase, place, known[i].name)
		case known[i].of != nil:
			f.checkWithin(object[name], place+name, known[i])
		}
	}
}

func (f *Form) checkWithin(value any, place string, known member) {
	values, isList := value.([]any)
	if object, ok := value.(map[string]any); ok && !known.list {
		f.checkNames(object, place+".", known.of)
	}
	if !isList || !known.list {
		return
	}
	for i, value := range values {
		if object, ok := value.(map[string]any); ok {
			f.checkNames(object, fmt.Sprintf("%s[%d].", place, i), known.of)
		}
	}
}
