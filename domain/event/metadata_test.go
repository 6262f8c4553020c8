package event_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"testing"

	"frontdesk/domain/event"
)

func TestMetadataTravelsInTheContext(t *testing.T) {
	t.Parallel()
	want := event.Metadata{Actor: event.Actor{Kind: event.ByOperator, ID: "pat"}, RequestID: "r1"}
	if got := event.MetadataFrom(event.WithMetadata(context.Background(), want)); got != want {
		t.Errorf("got %+v", got)
	}
	if got := event.MetadataFrom(context.Background()).Actor.String(); got != "service:frontdesk" {
		t.Errorf("without metadata the actor is %s", got)
	}
}

func TestADigestIsStoredInHexadecimal(t *testing.T) {
	t.Parallel()
	const abc = `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`
	digest := event.Digest(sha256.Sum256([]byte("abc")))

	data, err := json.Marshal(digest)
	if err != nil || string(data) != abc {
		t.Fatalf("stored as %s, %v", data, err)
	}
	var back event.Digest
	if err := json.Unmarshal(data, &back); err != nil || back != digest {
		t.Errorf("read back as %s, %v", back, err)
	}
	for _, wrong := range []string{`""`, `"ba78"`, `"zz` + abc[3:], abc[:3] + abc} {
		if err := json.Unmarshal([]byte(wrong), &back); err == nil {
			t.Errorf("%s is taken for a digest", wrong)
		}
	}
}
