package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// Streams is the configuration of the relay's streams.
type Streams struct {
	Replicas  int           // servers that store each message before it is acknowledged
	Retention time.Duration // how long messages are kept; 0 for ever. Their sequence numbers stay.
}

// MaxPayload is the maximum payload that the broker must allow, in bytes: every event
// fits.
const MaxPayload = 8 << 20

// duplicates is the broker's deduplication window. The condition of each message would
// suffice: this only spares a late relay the refusal. Each id takes memory there.
const duplicates = 10 * time.Second

// ofEpoch is the stream of an epoch.
func (s Streams) ofEpoch(e feed.Epoch) jetstream.StreamConfig {
	config := s.common(feed.StreamName(e.Epoch), feed.Subjects(e.Epoch))
	config.Description = "The log of frontdesk in " + e.String() + ". An event's idx is its sequence."
	config.FirstSeq, config.MaxAge, config.DenyPurge = uint64(e.First), s.Retention, true
	config.Duplicates = duplicates
	if s.Retention > 0 {
		config.Duplicates = min(duplicates, s.Retention)
	}
	return config
}

// ofEpochs is the stream of the list of epochs.
func (s Streams) ofEpochs() jetstream.StreamConfig {
	config := s.common(feed.EpochsStream, feed.EpochsSubject)
	config.Description = "The epochs that the log of frontdesk has come through."
	config.MaxMsgsPerSubject, config.AllowDirect = 1, true
	return config
}

func (s Streams) common(name, subject string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{subject}, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardOld, Replicas: s.Replicas, DenyDelete: true,
	}
}

// open returns a stream, and creates it if necessary.
func open(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("open the broker's stream %s with %d replicas: %w", config.Name, config.Replicas, err)
	}
	if reason := unfit(stream.CachedInfo().Config, config); reason != "" {
		return nil, fmt.Errorf("the broker's stream %s is not as the relay needs it: %s", config.Name, reason)
	}
	return stream, nil
}

// unfit returns what to fix in a stream that was created or changed elsewhere; "" if it
// is usable.
func unfit(got, want jetstream.StreamConfig) string {
	switch {
	case !slices.Equal(got.Subjects, want.Subjects):
		return fmt.Sprintf("it listens to %q and not to %q", got.Subjects, want.Subjects)
	case got.Replicas < want.Replicas:
		return fmt.Sprintf("it has %d replicas and not %d: run nats stream edit %s --replicas=%d, or ask for fewer with --nats-replicas",
			got.Replicas, want.Replicas, want.Name, want.Replicas)
	case got.Mirror != nil || len(got.Sources) > 0 || got.SubjectTransform != nil || got.NoAck || got.Sealed:
		return "it is a copy of another one, changes subjects, does not acknowledge, or is sealed"
	case got.Storage != want.Storage || got.Retention != want.Retention || got.Discard != want.Discard:
		return "it has to store to files, to keep messages whether or not they were read, and to discard the oldest"
	case got.MaxMsgSize >= 0 && got.MaxMsgSize < MaxPayload:
		return fmt.Sprintf("it takes messages of %d bytes and has to take %d", got.MaxMsgSize, MaxPayload)
	case got.MaxMsgsPerSubject > 0 && got.MaxMsgsPerSubject != want.MaxMsgsPerSubject:
		return fmt.Sprintf("it keeps %d messages of each subject", got.MaxMsgsPerSubject)
	case !got.DenyDelete || got.DenyPurge != want.DenyPurge:
		return "messages may be deleted from it: run nats stream edit with --deny-delete and --deny-purge"
	}
	return ""
}
