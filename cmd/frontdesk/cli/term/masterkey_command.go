package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/sealing"
)

// KeySource is where master keys come from: a file, the words of a command that prints
// them, or neither.
type KeySource struct {
	File    string
	Command Words
}

// Words are those of a command, as a shell would part them without quotes: at spaces, unless
// a backslash precedes one. In a config file they can be a list.
type Words []string

// UnmarshalText parts the words.
func (w *Words) UnmarshalText(text []byte) error {
	*w = slices.DeleteFunc(kong.SplitEscaped(string(text), ' '), func(word string) bool { return word == "" }) // two spaces beside each other
	return nil
}

var errTwoKeys = errors.New("give the master key in one way: its file, or the command that prints it")

// Read returns the master keys, and none if there is no source.
func (s KeySource) Read(ctx context.Context) ([]sealing.MasterKey, error) {
	switch {
	case s.File != "" && len(s.Command) > 0:
		return nil, errTwoKeys
	case s.File != "":
		return sealing.ReadRing(s.File)
	case len(s.Command) > 0:
		return printedKeys(ctx, s.Command)
	}
	return nil, nil
}

const (
	keyCommandLimit = 15 * time.Second // for the command to end
	keyCommandDelay = time.Second      // for the processes that it has left behind
)

// printedKeys runs a command, without a shell, and reads the master keys that it prints.
// Errors contain none of its output, and of its words only the first.
func printedKeys(ctx context.Context, words Words) ([]sealing.MasterKey, error) {
	ctx, cancel := context.WithTimeout(ctx, keyCommandLimit)
	defer cancel()
	var printed keyText
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdout, command.WaitDelay = &printed, keyCommandDelay
	err := command.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("run %s for the master key: it has not ended within %v", words[0], keyCommandLimit)
	case printed.long:
		return nil, fmt.Errorf("run %s for the master key: %w", words[0], sealing.ErrMasterKeyForm)
	case err != nil:
		return nil, fmt.Errorf("run %s for the master key; run it yourself to see why it fails: %w", words[0], err)
	}
	keys, err := sealing.ParseRing(printed.text.String())
	if err != nil {
		return nil, fmt.Errorf("read the output of %s: %w", words[0], err)
	}
	return keys, nil
}

// keyText takes as much as a ring of some keys may have.
type keyText struct {
	text bytes.Buffer
	long bool
}

var errLongKey = errors.New("it prints more than keys")

// Write refuses more than 16 KiB.
func (k *keyText) Write(p []byte) (int, error) {
	if k.text.Len()+len(p) > 16<<10 {
		k.long = true
		return 0, errLongKey
	}
	return k.text.Write(p)
}
