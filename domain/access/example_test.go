package access_test

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// A user has authorised an application for one patient. The call names another.
func ExampleJudge() {
	ann := patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")}
	bill := patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000b")}
	lee := staff.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000c")}
	endpoint, _ := access.Find(access.CreateNote)
	caller := access.Caller{
		Claim:  access.Claim{Tenant: "elm-street", Mode: application.UserRestricted, Username: "dr.lee", Endpoint: endpoint},
		Rights: access.Rights{Known: true, Enabled: true, Granted: true, Staff: lee, Patients: []patient.ID{ann}},
	}

	fmt.Println("before the body is read:", access.Judge(caller, nil))
	fmt.Println("for Ann:", access.Judge(caller, &access.Named{Patient: ann.String()}))
	err := access.Judge(caller, &access.Named{Patient: bill.String()})
	if refusal, ok := errors.AsType[*access.Refusal](err); ok {
		fmt.Println("for Bill:", refusal.Rule)
		fmt.Println(refusal.Fault.Code)
		fmt.Println(refusal.Fault.Detail)
	}
	// Output:
	// before the body is read: <nil>
	// for Ann: <nil>
	// for Bill: patient-in-scope
	// patient-not-authorised
	// The app is not currently authorised to request as the specified user for this patient
}
