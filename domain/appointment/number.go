package appointment

import (
	"encoding/binary"
	"fmt"
)

// Number is what a patient is called by where names are not shown: six digits such as
// "417 205", which stay the same and say nothing of the patient. Of twenty people who wait
// at once, two have the same in one of five thousand cases, so whoever calls somebody in
// still asks for their name.
func (id ID) Number() string {
	n := binary.BigEndian.Uint64(id.UUID[8:]) % 1_000_000 // the random half of a UUIDv7
	return fmt.Sprintf("%03d %03d", n/1000, n%1000)
}
