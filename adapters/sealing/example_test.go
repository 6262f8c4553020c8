package sealing_test

import (
	"fmt"
	"strings"

	"frontdesk/adapters/sealing"
)

// A master key is read from outside the database, and is never printed.
func ExampleParseMasterKey() {
	key, err := sealing.ParseMasterKey(strings.Repeat("0f", 32))
	fmt.Println(key, err)
	_, err = sealing.ParseMasterKey("secret")
	fmt.Println(err)
	// Output:
	// [master key] <nil>
	// a master key is 32 random bytes in base64 or hexadecimal, as `openssl rand -base64 32` prints them
}
