package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"frontdesk/domain/fault"
)

var (
	errClosed = fault.New(fault.Refused, "request-type-closed", "The practice is closed.")
	errPaused = fault.New(fault.Refused, "request-type-paused", "Requests are paused.")
)

func TestARefusalIsFoundUnderItsWrapping(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("submit patient request: %w", errClosed.With("The practice is closed until %s.", "Monday"))

	if !errors.Is(wrapped, errClosed) {
		t.Error("a refusal with another detail is not found by errors.Is")
	}
	if errors.Is(wrapped, errPaused) {
		t.Error("one refusal is taken for another")
	}
	if got, ok := errors.AsType[*fault.Error](wrapped); !ok || got.Detail != "The practice is closed until Monday." {
		t.Errorf("detail = %v", got)
	}
}

func TestListKeepsOrderAndMayBeEmpty(t *testing.T) {
	t.Parallel()
	if err := (fault.List{}).Err(); err != nil {
		t.Errorf("an empty list is the error %v", err)
	}
	err := fault.List{errPaused, errClosed}.Err()
	if !errors.Is(err, errPaused) || !errors.Is(err, errClosed) {
		t.Error("a refusal of the list is not found")
	}
	if got, want := err.Error(), errPaused.Error()+"; "+errClosed.Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRefusalMayHaveRetryTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	got := errClosed.Until(at).With("The practice is closed until noon.")

	if !got.RetryAt.Equal(at) || got.Code != errClosed.Code || got.Detail != "The practice is closed until noon." {
		t.Errorf("got %+v", got)
	}
	if !errors.Is(got, errClosed) {
		t.Error("with an instant it is another refusal")
	}
	if !errClosed.RetryAt.IsZero() {
		t.Error("the rule's own refusal has changed")
	}
}
