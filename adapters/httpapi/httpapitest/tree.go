package httpapitest

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func decode(document []byte) (map[string]any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is no JSON object")
	}
	return object, nil
}

// at is the value at a place in a tree of objects; nil when there is none.
func at(tree any, place ...string) any {
	for _, name := range place {
		object, _ := tree.(map[string]any)
		tree = object[name]
	}
	return tree
}

// pointer is the place as a JSON pointer in the fragment of a URL.
func pointer(place []string) string {
	var text strings.Builder
	for _, name := range place {
		name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		text.WriteString("/" + url.PathEscape(name))
	}
	return text.String()
}

// closeObjects allows no members but those that are described.
func closeObjects(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		if tree["type"] == "object" && tree["properties"] != nil {
			tree["additionalProperties"] = false
		}
		for _, child := range tree {
			closeObjects(child)
		}
	case []any:
		for _, child := range tree {
			closeObjects(child)
		}
	}
}
