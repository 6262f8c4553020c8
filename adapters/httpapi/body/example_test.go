package body_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/fault"
)

// A form keeps the faults of a body, so that the caller can be checked by the patient
// in the body before any fault is answered.
func ExampleRead() {
	call := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"patientId":"x","note":"a cough"}`))
	form, err := body.Read(call, body.Texts{}, "patientId", "note")
	if err != nil {
		fmt.Println(err) // trouble of ours
		return
	}
	fmt.Printf("The call names the patient %q.\n", form.PatientAsWritten())
	patient, note := form.Patient(), form.Text("note")
	if list, ok := errors.AsType[fault.List](form.Err()); ok {
		fmt.Println(list)
		return
	}
	fmt.Println(patient, note)
	// Output:
	// The call names the patient "x".
	// invalid-patient-id: patientId must be a UUID of 36 characters.
}
