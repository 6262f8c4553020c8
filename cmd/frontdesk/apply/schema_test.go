package apply_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/cmd/frontdesk/apply"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

const (
	schemaFile  = "../../../docs/operate/apply.schema.json"
	exampleFile = "../../../docs/operate/practices.yaml"
)

// definition is a part of the schema.
type definition struct {
	Enum       []string
	Items      *definition
	Properties map[string]*definition
	Additional *bool `json:"additionalProperties"`
}

func definitions(t *testing.T) map[string]*definition {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]*definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema.Defs
}

// Editors complete exactly the fields that the program reads.
func TestSchemaDescribesFields_D107(t *testing.T) {
	t.Parallel()
	defs := definitions(t)
	for name, of := range map[string]reflect.Type{
		"practice": reflect.TypeFor[apply.Practice](), "application": reflect.TypeFor[apply.Application](),
		"enablement": reflect.TypeFor[apply.Enablement](), "requestType": reflect.TypeFor[apply.RequestType](), "closure": reflect.TypeFor[apply.Closure](),
		"site": reflect.TypeFor[apply.Site](), "room": reflect.TypeFor[apply.Room](), "member": reflect.TypeFor[apply.Member](),
		"callback": reflect.TypeFor[apply.Callback](), "grant": reflect.TypeFor[apply.Grant](), "webhook": reflect.TypeFor[apply.Webhook](),
	} {
		var read, described []string
		for field := range of.Fields() {
			read = append(read, field.Tag.Get("yaml"))
		}
		for property := range defs[name].Properties {
			described = append(described, property)
		}
		slices.Sort(read)
		slices.Sort(described)
		if diff := cmp.Diff(read, described); diff != "" || defs[name].Additional == nil || *defs[name].Additional {
			t.Errorf("%s: the schema, which must allow nothing else, has other members (-read +described):\n%s", name, diff)
		}
	}
}

func TestTheSchemaKnowsTheCatalogues_D107(t *testing.T) {
	t.Parallel()
	defs := definitions(t)
	for what, c := range map[string]struct{ described, known []string }{
		"roles":         {defs["member"].Properties["roles"].Items.Enum, texts(staff.AllRoles())},
		"request types": {defs["requestType"].Properties["type"].Enum, texts(request.Types())},
		"endpoints":     {defs["grant"].Properties["endpoint"].Enum, texts(access.Grantable())},
		"modes":         {defs["grant"].Properties["mode"].Enum, texts([]application.Mode{application.ApplicationRestricted, application.UserRestricted})},
		"webhooks":      {defs["webhook"].Properties["event"].Enum, texts(application.WebhookEvents())},
	} {
		if *updateSchema {
			rewrite(t, c.described, c.known)
			continue
		}
		if diff := cmp.Diff(c.known, c.described); diff != "" {
			t.Errorf("%s: run with -update-schema (-known +described):\n%s", what, diff)
		}
	}
}

var updateSchema = flag.Bool("update-schema", false, "write the catalogues into the schema")

// rewrite puts a list of the program in the place of one of the schema.
func rewrite(t *testing.T, described, known []string) {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`"` + strings.Join(described, `",(\s+)"`) + `"`)
	found := list.FindAllSubmatch(text, -1)
	if len(found) != 1 || len(described) < 2 {
		t.Fatalf("the schema lists %v %d times", described, len(found))
	}
	text = list.ReplaceAllLiteral(text, []byte(`"`+strings.Join(known, `",`+string(found[0][1])+`"`)+`"`))
	if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func texts[T ~string](all []T) (texts []string) {
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return texts
}

func TestTheExampleFitsTheSchema_D107(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	documents := strings.Split(string(text), "\n---\n")
	for _, document := range documents {
		if err := schema.Validate(plain(t, document)); err != nil {
			t.Errorf("%s\n%v", document, err)
		}
	}
	if err := schema.Validate(plain(t, documents[1]+"\nrooms: []\n")); err == nil || len(documents) != 2 {
		t.Errorf("of %d documents, one with a member that there is not fits the schema", len(documents))
	}
}

// plain is a document of YAML as JSON has it.
func plain(t *testing.T, document string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(document), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}
