package reference

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// catalogue is all events, and the key set that their examples are signed with.
type catalogue struct {
	Events []eventPage
	Claims []field // of every event
	Keys   string
}

// eventPage is one event as the catalogue shows it.
type eventPage struct {
	Name, Summary, Description string

	Data           []field
	Header, Claims string // of the example, decoded
	Token          string // the example as it is sent
}

// field is a member of an object.
type field struct{ Name, Type, Description string }

func eventsOf(d document) (catalogue, error) {
	c := catalogue{Keys: indented(d.Components.Examples["key-set"].Value)}
	mapping := d.Components.Schemas["WebhookClaims"].Discriminator.Mapping
	for _, name := range inOrder(d, d.Webhooks) {
		claims := d.Components.Schemas[nameOf(mapping[name])]
		if c.Claims == nil {
			c.Claims = d.fields(claims)
		}
		one, err := eventOf(d, name, claims)
		if err != nil {
			return c, err
		}
		c.Events = append(c.Events, one)
	}
	return c, nil
}

func eventOf(d document, name string, claims schema) (eventPage, error) {
	post := d.Webhooks[name].Post
	e := eventPage{Name: name, Summary: post.Summary, Description: post.Description, Data: d.fields(d.schema(claims.Properties["data"]))}
	sent, _ := d.request(post)
	if err := json.Unmarshal(sent.Content["application/jwt"].Example, &e.Token); err != nil {
		return e, fmt.Errorf("read the example of %s: %w", name, err)
	}
	parts := strings.Split(e.Token, ".")
	for i, decoded := range []*string{&e.Header, &e.Claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return e, fmt.Errorf("read the example of %s: %w", name, err)
		}
		*decoded = indented(text)
	}
	return e, nil
}

// fields are the members of an object, in the order in which the description requires
// them: a webhook has all of them.
func (d document) fields(s schema) (all []field) {
	for _, name := range s.Required {
		one := d.schema(s.Properties[name])
		all = append(all, field{name, typeOf(one), one.Description})
	}
	return all
}
