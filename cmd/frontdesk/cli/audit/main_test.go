package audit_test

import (
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
