package docs_test

import (
	"strings"
	"testing"

	"frontdesk/domain/staff"
)

// The auditors' page says what each event about an account means.
func TestAuditorsPageHasAccountEvents_D64(t *testing.T) {
	t.Parallel()
	page := read(t, "audit/accounts.md")
	for _, e := range staff.Events() {
		if !strings.Contains(page, "`"+e.EventName()+"`") {
			t.Errorf("the page says nothing about %s", e.EventName())
		}
	}
}
