package httpapitest

import (
	"strings"
	"testing"
)

// Shows that the search finds gaps.
func TestEachKindOfGapIsFound_D98(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ old, changed, want string }{
		"a property":                 {`"note": { "type": "string", "description": "Its text; not blank." }`, `"note": { "type": "string" }`, "leaves note undescribed"},
		"a property by reference":    {`"description": "The practice's tenant identifier." },\n      "Mode"`, `"title": "" },\n      "Mode"`, "leaves tenantId undescribed"},
		"a parameter":                {`            "description": "The patient of the record.",\n`, "", "leaves the parameter patientId undescribed"},
		"a body's example":           {`"example": { "patientId": "0198c7a2-0000-7000-8000-000000000001", "note": "Called back; feels better." }`, `"x": 0`, "has no example"},
		"a body's example, of two":   {`"requestType": "admin", "requester": "patient", "isHigh`, `"requestType": "medical", "requester": "patient", "isHigh`, "refuses its own example admin"},
		"an answer's example":        {`"example": { "noteId": "0198c7a2-0000-7000-8000-000000000003" }`, `"x": 0`, "has no example"},
		"an answer's own example":    {`"example": { "noteId": "0198c7a2-0000-7000-8000-000000000003" }`, `"example": { "noteId": "7" }`, "refuses its own example"},
		"a header's example":         {`"example": "max-age=300"`, `"x": 0`, `Cache-Control has no "example"`},
		"a header's own example":     {`"example": "0198c7a2-0000-7000-8000-00000000000a"`, `"example": "7"`, "X-Request-Id refuses its own example"},
		"a code's description":       {`"empty-note": "400. `, `"empty-not": "400. `, "lacks empty-note"},
		"a code's status":            {`"empty-note": "400. `, `"empty-note": "403. `, `does not begin with "400. "`},
		"a code too many":            {`"empty-note": "400. `, `"empty-not": "", "empty-note": "400. `, `describes empty-not, which`},
		"a code that nobody has":     {`"invalid-request-body", "invalid-idempotency-key", "malformed-request", "missing-patient-id", "invalid-patient-id", "patient-not-found", "empty-note"`, `"invalid-request-body"`, "has empty-note, which no answer lists"},
		"a code's example":           {`"empty-note": { "$ref": "#/components/examples/empty-note" }`, `"empty-response": { "$ref": "#/components/examples/empty-response" }`, "has other examples than codes"},
		"another code's example":     {`"value": { "errors": [{ "code": "empty-note"`, `"value": { "errors": [{ "code": "empty-response"`, "has another code in the example empty-note"},
		"an event outside the union": {`            "record.opened": "#/components/schemas/RecordOpened",\n`, "", "maps other events than there are"},
		"a schema outside the union": {`          { "$ref": "#/components/schemas/CallInShown" },\n`, "", "maps to other schemas than it has"},
		"an event's token":           {`"example": "eyJ`, `"x": "eyJ`, `has no JWT for an "example"`},
		"an event's claims":          {`"userName": "Dr Ann Lee", "userEmail"`, `"userName": "Dr Bo Lee", "userEmail"`, "another thing than"},
	} {
		text := string(OpenAPI())
		changed := strings.Replace(text, strings.ReplaceAll(test.old, `\n`, "\n"), strings.ReplaceAll(test.changed, `\n`, "\n"), 1)
		if changed == text {
			t.Errorf("%s: the description does not hold %s", name, test.old)
			continue
		}
		c, err := newContract([]byte(changed))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if gaps := strings.Join(c.Gaps(), "\n"); !strings.Contains(gaps, test.want) {
			t.Errorf("%s: want %q, got %s", name, test.want, gaps)
		}
	}
}
