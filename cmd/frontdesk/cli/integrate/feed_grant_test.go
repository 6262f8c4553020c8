package integrate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/crypto/bcrypt"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/feed"
)

func TestAFollowerIsGranted_D103(t *testing.T) {
	t.Parallel()
	server := brokertest.New(t)
	grant := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"feed", "grant", "--nats", server.URL()}, args...)...)
	}
	grant("--tenant", "elm-street").WantFailure(t, 1, "start the relay first")
	grant().WantFailure(t, 1, "give --tenant for one practice")
	grant("--name", "a.b").WantFailure(t, 1, "can be no follower's name")
	stream, err := server.JetStream().CreateStream(t.Context(), jetstream.StreamConfig{Name: feed.StreamName(3), Subjects: []string{feed.Subjects(3)}})
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(t.TempDir(), "password")
	done := grant("--tenant", "elm-street", "--out", file)
	password, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: %s", err, done.Err)
	}
	hash := regexp.MustCompile(`password: "([^"]+)"`).FindStringSubmatch(done.Out)
	if len(hash) != 2 || bcrypt.CompareHashAndPassword([]byte(hash[1]), []byte(strings.TrimSpace(string(password)))) != nil {
		t.Errorf("the password %s is not that of\n%s", password, done.Out)
	}
	if !strings.HasPrefix(done.Out, "elm-street {") || !strings.Contains(done.Err, "number of epochs: 1") {
		t.Errorf("printed %s, %s", done.Out, done.Err)
	}
	consumer, err := stream.Consumer(t.Context(), "elm-street")
	if err != nil || consumer.CachedInfo().Config.FilterSubject != "frontdesk.log.3.elm-street.>" {
		t.Errorf("consumer %+v, %v", consumer, err)
	}

	grant("--tenant", "elm-street", "--out", file).WantFailure(t, 1, "is not written over")
	if again := grant("--tenant", "elm-street"); again.Status != 0 || again.Out != "" {
		t.Errorf("again: %+v", again)
	}
}
