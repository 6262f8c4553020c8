package bearer_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
)

func TestActIsCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, value, want string }{
		{"", `"Dr Lee"`, "act must be an object"},
		{"", `[]`, "act must be an object"},
		{"", `""`, "act must be an object"},
		{"practitioner", ``, "act.practitioner must be an object"},
		{"practitioner", `null`, "act.practitioner must be an object"},
		{"practitioner.name", ``, "act.practitioner.name must be a name of printable characters"},
		{"practitioner.name", `""`, "act.practitioner.name must be a name of printable characters"},
		{"practitioner.name", `" "`, "act.practitioner.name must be a name of printable characters"},
		{"practitioner.name", `"Ann\u0000"`, "act.practitioner.name must be a name of printable characters"},
		{"practitioner.name", `{}`, "act.practitioner.name must be a name of printable characters"},
		{"practitioner.email", ``, "act.practitioner.email must be an e-mail address"},
		{"practitioner.email", `"ann"`, "act.practitioner.email must be an e-mail address"},
		{"practitioner.email", `"ann@home@work"`, "act.practitioner.email must be an e-mail address"},
		{"practitioner.email", `"ann lee@home"`, "act.practitioner.email must be an e-mail address"},
		{"practitioner.email", `"@home"`, "act.practitioner.email must be an e-mail address"},
		{"practitioner.email", `"ann@"`, "act.practitioner.email must be an e-mail address"},
		{"practitioner.gmc_number", `"123456"`, "act.practitioner.gmc_number must be seven digits"},
		{"practitioner.gmc_number", `"12345678"`, "act.practitioner.gmc_number must be seven digits"},
		{"practitioner.gmc_number", `"123456A"`, "act.practitioner.gmc_number must be seven digits"},
		{"practitioner.gmc_number", `"١٢٣٤٥٦٧"`, "act.practitioner.gmc_number must be seven digits"},
		{"practitioner.gmc_number", `1234567`, "act.practitioner.gmc_number must be seven digits"},
		{"organisation", `"High Street"`, "act.organisation must be an object"},
		{"organisation.name", `""`, "act.organisation.name must be a name of printable characters"},
		{"organisation.ods_code", `7`, "act.organisation.ods_code must be a string of printable characters"},

		{"", `null`, ""},
		{"practitioner.gmc_number", ``, ""},
		{"practitioner.gmc_number", `null`, ""},
		{"organisation.ods_code", ``, ""},
		{"organisation.address", `{"street":"High Street"}`, ""},
	} {
		_, err := bearer.Parse(app.Token(noon, claim("act", actWith(test.path, test.value))), noon)
		switch {
		case test.want != "":
			refused(t, err, "Invalid JWT: "+test.want)
		case err != nil:
			t.Errorf("%s = %s: %v", test.path, test.value, err)
		}
	}
}

// Whatever members outside the contract hold, the token is accepted as before.
func TestShortRoleAndPurposeAreStored_D82(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 65)
	for _, test := range []struct{ value, want string }{
		{``, ""}, {`null`, ""}, {`""`, ""}, {`"  "`, ""}, {`7`, ""}, {`true`, ""}, {`["GP"]`, ""}, {`{"code":"GP"}`, ""},
		{`"GP\u0007"`, ""}, {`"` + long + `"`, ""},
		{`"General practitioner"`, "General practitioner"}, {`"` + long[:128] + `"`, long[:128]},
	} {
		for _, member := range []string{"role", "purpose"} {
			token, err := bearer.Parse(app.Token(noon, claim("act", actWith(member, test.value))), noon)
			if err != nil {
				t.Fatalf("%s = %s: %v", member, test.value, err)
			}
			got := map[string]string{"role": token.Act.Role, "purpose": token.Act.Purpose}
			if want := map[string]string{"role": "", "purpose": "", member: test.want}; !maps.Equal(got, want) {
				t.Errorf("%s = %s is kept as %v, want %v", member, test.value, got, want)
			}
		}
	}
}

// actWith is a complete act claim, except that the member at path has the JSON value,
// or is missing if value is empty.
func actWith(path, value string) any {
	if path == "" {
		return json.RawMessage(value)
	}
	act := bearertest.Act()
	parent := act
	for {
		name, rest, deeper := strings.Cut(path, ".")
		if !deeper {
			delete(parent, name)
			if value != "" {
				parent[name] = json.RawMessage(value)
			}
			return act
		}
		parent, path = parent[name].(map[string]any), rest
	}
}
