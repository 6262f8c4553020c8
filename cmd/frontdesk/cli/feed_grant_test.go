package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/crypto/bcrypt"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/feed"
)

func TestAFollowerIsGranted_D103(t *testing.T) {
	t.Parallel()
	server := brokertest.New(t)
	grant := func(args ...string) outcome {
		return frontdesk(t, append([]string{"feed", "grant", "--nats", server.URL()}, args...)...)
	}
	grant("--tenant", "elm-street").wantFailure(t, 1, "start the relay first")
	grant().wantFailure(t, 1, "give --tenant for one practice")
	grant("--name", "a.b").wantFailure(t, 1, "can be no follower's name")
	stream, err := server.JetStream().CreateStream(t.Context(), jetstream.StreamConfig{Name: feed.StreamName(3), Subjects: []string{feed.Subjects(3)}})
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(t.TempDir(), "password")
	done := grant("--tenant", "elm-street", "--out", file)
	password, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: %s", err, done.err)
	}
	hash := regexp.MustCompile(`password: "([^"]+)"`).FindStringSubmatch(done.out)
	if len(hash) != 2 || bcrypt.CompareHashAndPassword([]byte(hash[1]), []byte(strings.TrimSpace(string(password)))) != nil {
		t.Errorf("the password %s is not that of\n%s", password, done.out)
	}
	if !strings.HasPrefix(done.out, "elm-street {") || !strings.Contains(done.err, "number of epochs: 1") {
		t.Errorf("printed %s, %s", done.out, done.err)
	}
	consumer, err := stream.Consumer(t.Context(), "elm-street")
	if err != nil || consumer.CachedInfo().Config.FilterSubject != "frontdesk.log.3.elm-street.>" {
		t.Errorf("consumer %+v, %v", consumer, err)
	}

	grant("--tenant", "elm-street", "--out", file).wantFailure(t, 1, "is not written over")
	if again := grant("--tenant", "elm-street"); again.status != 0 || again.out != "" {
		t.Errorf("again: %+v", again)
	}
}
