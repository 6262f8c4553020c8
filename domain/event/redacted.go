package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Hidden is what [Redacted] writes in place of personal data.
const Hidden = "[personal]"

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
