package pagekit

import (
	"slices"
	"testing"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

func TestGrantsAreListedInCatalogueOrder(t *testing.T) {
	t.Parallel()
	got := DescribeRights([]application.EndpointName{"new-endpoint", access.StartConsultation, access.CreateNote})
	want := []string{"add notes to patients’ care records", "start consultations", "use “new-endpoint”"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestEveryRoleHasAName(t *testing.T) {
	t.Parallel()
	if got := RoleList(staff.AllRoles()); got != "receptionist, clinician, manager and privacy officer" {
		t.Errorf("got %s", got)
	}
	if got := AnyRole([]staff.Role{staff.Manager, staff.Clinician}); got != "a manager or a clinician" {
		t.Errorf("got %s", got)
	}
}
