package commandtest_test

import (
	"testing"

	"frontdesk/commands/commandtest"
	"frontdesk/domain/event/eventtest"
)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	eventtest.Conformance(t, func(*testing.T) eventtest.Store {
		return commandtest.NewStore(eventtest.Events()...)
	})
}
