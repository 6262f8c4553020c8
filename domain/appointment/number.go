package appointment

import (
	"encoding/binary"
	"fmt"
)

// Number names a patient where names are not shown: six digits such as "417 205", which
// stay the same and reveal nothing about the patient. Of twenty people who wait at
// once, two have the same in one of five thousand cases, so staff still ask for the
// name.
func (id ID) Number() string {
	n := binary.BigEndian.Uint64(id.UUID[8:]) % 1_000_000 // the random half of a UUIDv7
	return fmt.Sprintf("%03d %03d", n/1000, n%1000)
}
