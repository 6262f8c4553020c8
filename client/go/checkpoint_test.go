package client_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"frontdesk.example/client"
)

// checkpointVectors are those of docs/vectors.json that are about checkpoints.
type checkpointVectors struct {
	LogKey      string
	Checkpoints []checkpointVector
}

type checkpointVector struct {
	Name, Kept, Newest string
	Consistency        []string
	Accepted           bool
	Reason             client.CheckpointReason
}

func readCheckpointVectors(t *testing.T) (v checkpointVectors, log *client.LogVerifier) {
	t.Helper()
	text, err := os.ReadFile("../../docs/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err == nil {
		log, err = client.NewLogVerifier(v.LogKey)
	}
	if err != nil || len(v.Checkpoints) < 40 {
		t.Fatal(len(v.Checkpoints), err)
	}
	return v, log
}

// vector returns the one of a name.
func (v checkpointVectors) vector(t *testing.T, name string) checkpointVector {
	t.Helper()
	for _, one := range v.Checkpoints {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("there is no vector %q", name)
	return checkpointVector{}
}

// answers returns the service's answer with the newest checkpoint.
func (v checkpointVector) answers() answer {
	text, _ := json.Marshal(client.SignedCheckpoint{Note: v.Newest, Consistency: v.Consistency})
	return says(200, string(text))
}

func reasonOf(err error) client.CheckpointReason {
	var why *client.CheckpointError
	if errors.As(err, &why) {
		return why.Reason
	}
	return ""
}

func TestCheckpointVerdictsAreThoseOfTheVectors_D140(t *testing.T) {
	t.Parallel()
	v, log := readCheckpointVectors(t)
	for _, one := range v.Checkpoints {
		c, err := log.Check(one.Kept, one.Newest, one.Consistency)
		if (err == nil) != one.Accepted || reasonOf(err) != one.Reason || err == nil && c.Note != one.Newest {
			t.Errorf("%s: %v, %+v", one.Name, err, c)
		}
	}
	for _, key := range []string{"", "api.example", "api.example+00000000+" + v.LogKey[len("api.example+00000000+"):], "other" + v.LogKey, v.LogKey + "\n", v.LogKey[:len(v.LogKey)-1]} {
		if _, err := client.NewLogVerifier(key); err == nil {
			t.Errorf("%q is a key", key)
		}
	}
}

// A checkpoint is replaced only by one whose log begins with it.
func TestKeptCheckpointIsReplacedByProof_D140(t *testing.T) {
	t.Parallel()
	v, log := readCheckpointVectors(t)
	first, next := v.vector(t, "grown from 6 to 7"), v.vector(t, "grown from 7")
	for name, c := range map[string]struct {
		answers []answer
		asked   []string // the queries
		reason  client.CheckpointReason
		kept    string // afterwards
	}{
		"grown":               {[]answer{next.answers()}, []string{"from=7"}, "", next.Newest},
		"changed":             {[]answer{v.vector(t, "an event was changed").answers()}, []string{"from=7"}, client.Changed, next.Kept},
		"without a proof":     {[]answer{v.vector(t, "no proof").answers()}, []string{"from=7"}, client.Changed, next.Kept},
		"signed by others":    {[]answer{v.vector(t, "signed by another key of that name").answers()}, []string{"from=7"}, client.Unsigned, next.Kept},
		"shorter than before": {[]answer{refuses(400, "invalid-query"), first.short().answers()}, []string{"from=7", ""}, client.RolledBack, next.Kept},
		"not signed any more": {[]answer{refuses(404, "no-checkpoint")}, []string{"from=7"}, "", next.Kept},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := client.CheckpointFile(filepath.Join(t.TempDir(), "elm-street.note"))
			practice, service := calling(t, append([]answer{first.answers()}, c.answers...)...)
			if _, err := practice.KeepCheckpoint(t.Context(), log, file); err != nil || service.sent[0].URL.RawQuery != "" {
				t.Fatalf("the first one: %v, asked %s", err, service.sent[0].URL)
			}
			_, err := practice.KeepCheckpoint(t.Context(), log, file)
			var refusal *client.ServiceError
			if reasonOf(err) != c.reason || (err == nil) != (c.kept == next.Newest) || c.reason == "" && err != nil && !errors.As(err, &refusal) {
				t.Errorf("the next one: %v", err)
			}
			var why *client.CheckpointError
			if errors.As(err, &why) && why.Kept != next.Kept {
				t.Errorf("the error names %q as kept", why.Kept)
			}
			for n, query := range c.asked {
				if got := service.sent[1+n].URL.RawQuery; got != query {
					t.Errorf("asked %q, want %q", got, query)
				}
			}
			if kept, err := file.Get(t.Context()); err != nil || kept != c.kept {
				t.Errorf("kept is %q, %v", kept, err)
			}
		})
	}
}

// short is the vector with its kept checkpoint as the newest one.
func (v checkpointVector) short() checkpointVector {
	v.Newest, v.Consistency = v.Kept, nil
	return v
}

// A store that fails keeps the call from pretending, and a kept note of another key is refused
// before anything is asked.
func TestKeepCheckpointReportsItsStore_D140(t *testing.T) {
	t.Parallel()
	v, log := readCheckpointVectors(t)
	grown := v.vector(t, "grown from 6 to 7")
	practice, service := calling(t, grown.answers())
	missing := client.CheckpointFile(filepath.Join(t.TempDir(), "no-folder", "kept.note"))
	if _, err := practice.KeepCheckpoint(t.Context(), log, missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing is kept, and the error is %v", err)
	}
	file := client.CheckpointFile(filepath.Join(t.TempDir(), "kept.note"))
	if err := file.Put(t.Context(), v.vector(t, "kept from another key of that name").Kept); err != nil {
		t.Fatal(err)
	}
	if _, err := practice.KeepCheckpoint(t.Context(), log, file); reasonOf(err) != client.Unsigned || len(service.sent) != 1 {
		t.Errorf("a stranger's kept note: %v after %d calls", err, len(service.sent))
	}
}
