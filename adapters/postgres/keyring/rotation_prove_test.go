//go:build prove

package keyring_test

import (
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

func TestProveRotationWhileServing_D136(t *testing.T) { //nolint:paralleltest // it takes the machine
	keys := provetest.Pick(20_000, 100_000)
	v, watch := newVault(t), clock.Start()
	appends := v.rotateWhileAppending(t, keys)
	t.Logf("%d keys were rotated while %d appends succeeded; %s with the registration of the patients", keys, appends, watch.Elapsed().Round(time.Second))
	provetest.Tried(t, keys, "keys")
}
