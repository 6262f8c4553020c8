package httpapi_test

import (
	"testing"

	"frontdesk/adapters/httpapi/httpapitest"
)

func TestTheDescriptionHasNoGaps_D98(t *testing.T) {
	t.Parallel()
	contract, err := httpapitest.NewContract()
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range contract.Gaps() {
		t.Error(gap)
	}
}
