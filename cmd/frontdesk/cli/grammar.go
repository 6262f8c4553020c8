package cli

import (
	"reflect"
	"strings"
)

// grammar returns a struct of the one command that a command line begins with, or all of them
// if it begins with none. kong looks at every flag of every command that it is given, which
// takes longer than most commands.
func grammar(first string) any {
	field, found := commandNamed(reflect.TypeFor[commandLine](), first)
	if !found || strings.HasPrefix(first, "-") || field.Type == reflect.TypeFor[completionCmd]() { // which lists all of them
		return &commandLine{}
	}
	return reflect.New(reflect.StructOf([]reflect.StructField{field})).Interface()
}

// commandNamed finds the field of a command, whose name is its tag's, or its field's with
// hyphens between the words.
func commandNamed(among reflect.Type, name string) (found reflect.StructField, ok bool) {
	for field := range among.Fields() {
		if _, embedded := field.Tag.Lookup("embed"); embedded {
			if found, ok = commandNamed(field.Type, name); ok {
				return found, true
			}
			continue
		}
		named, tagged := field.Tag.Lookup("name")
		if tagged && named == name || !tagged && strings.EqualFold(field.Name, strings.ReplaceAll(name, "-", "")) {
			return field, true
		}
	}
	return reflect.StructField{}, false
}
