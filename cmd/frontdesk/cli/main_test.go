package cli_test

import (
	"encoding/base64"
	"os"
	"testing"

	"frontdesk/adapters/sealing"
)

// theMasterKey is in the environment of all command lines. One that is to have none is
// given noMasterKey.
var theMasterKey = sealing.MasterKey{1}

const noMasterKey = "--master-key="

func TestMain(m *testing.M) {
	_ = os.Setenv("FRONTDESK_MASTER_KEY", base64.StdEncoding.EncodeToString(theMasterKey[:])) // it fails for names alone that no environment has
	os.Exit(m.Run())
}
