package httpapitest

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"

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
	closeEnums(object)
	return object, nil
}

// at returns the value at a place in a tree of objects; nil if absent.
func at(tree any, place ...string) any {
	for _, name := range place {
		object, _ := tree.(map[string]any)
		tree = object[name]
	}
	return tree
}

// pointer returns a place as a JSON pointer in the fragment of a URL.
func pointer(place []string) string {
	var text strings.Builder
	for _, name := range place {
		name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		text.WriteString("/" + url.PathEscape(name))
	}
	return text.String()
}

// closeEnums forbids values of answers that are not described. For clients they are open: a release
// may add some.
func closeEnums(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		if values, ok := tree["x-extensible-enum"]; ok {
			tree["enum"] = values
		}
		for _, value := range tree {
			closeEnums(value)
		}
	case []any:
		for _, value := range tree {
			closeEnums(value)
		}
	}
}

// closeObjects forbids undescribed members.
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

// schemas compiles the schemas of the description on first use.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

const resource = "frontdesk:///openapi.json"

func newSchemas(document map[string]any) (*schemas, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(resource, document); err != nil {
		return nil, fmt.Errorf("read the description's schemas: %w", err)
	}
	return &schemas{compiler: compiler}, nil
}

func (s *schemas) check(place []string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	return s.checkValue(place, value)
}

func (s *schemas) checkValue(place []string, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock() // the compiler caches
	schema, err := s.compiler.Compile(resource + "#" + pointer(place))
	if err != nil {
		return fmt.Errorf("the description itself: %w", err)
	}
	return schema.Validate(value)
}
