package sealing_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"frontdesk/adapters/sealing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMasterKeyInBase64AndHexadecimal(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte{7}, 32)
	for _, text := range []string{base64.StdEncoding.EncodeToString(raw) + "\n", " " + hex.EncodeToString(raw)} {
		key, err := sealing.ParseMasterKey(text)
		if err != nil || key != sealing.MasterKey(raw) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "short", base64.StdEncoding.EncodeToString(raw[:31]), hex.EncodeToString(make([]byte, 32))} {
		if _, err := sealing.ParseMasterKey(text); !errors.Is(err, sealing.ErrMasterKeyForm) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAMasterKeyIsNeverPrinted(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"%v", "%s", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, sealing.MasterKey{65, 66, 67}); got != "[master key]" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
