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

// KeySource is where a master key comes from: a file, the words of a command that prints
// it, or neither.
type KeySource struct {
	File    string
	Command Words
}

// Words are those of a command, as a shell would part them without quotes: at spaces, unless
// a backslash stands before one. In a file of settings they can be a list.
type Words []string

// UnmarshalText parts the words.
func (w *Words) UnmarshalText(text []byte) error {
	*w = slices.DeleteFunc(kong.SplitEscaped(string(text), ' '), func(word string) bool { return word == "" }) // two spaces beside each other
	return nil
}

var errTwoKeys = errors.New("give the master key in one way: its file, or the command that prints it")

// Read returns the master key, and the zero one if there is no source.
func (s KeySource) Read(ctx context.Context) (sealing.MasterKey, error) {
	switch {
	case s.File != "" && len(s.Command) > 0:
		return sealing.MasterKey{}, errTwoKeys
	case s.File != "":
		return sealing.ReadMasterKey(s.File)
	case len(s.Command) > 0:
		return printedKey(ctx, s.Command)
	}
	return sealing.MasterKey{}, nil
}

const (
	keyCommandLimit = 15 * time.Second // for the command to end
	keyCommandDelay = time.Second      // for what it has started and left behind
)

// printedKey runs a command, and no shell, and reads the master key that it prints. Errors
// hold nothing of what it has printed, nor its words but the first.
func printedKey(ctx context.Context, words Words) (sealing.MasterKey, error) {
	ctx, cancel := context.WithTimeout(ctx, keyCommandLimit)
	defer cancel()
	var printed keyText
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdout, command.WaitDelay = &printed, keyCommandDelay
	err := command.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return sealing.MasterKey{}, fmt.Errorf("run %s for the master key: it has not ended within %v", words[0], keyCommandLimit)
	case printed.long:
		return sealing.MasterKey{}, fmt.Errorf("run %s for the master key: %w", words[0], sealing.ErrMasterKeyForm)
	case err != nil:
		return sealing.MasterKey{}, fmt.Errorf("run %s for the master key, which says why if you run it yourself: %w", words[0], err)
	}
	key, err := sealing.ParseMasterKey(printed.text.String())
	if err != nil {
		return sealing.MasterKey{}, fmt.Errorf("read what %s prints: %w", words[0], err)
	}
	return key, nil
}

// keyText takes as much as any form of a key may have.
type keyText struct {
	text bytes.Buffer
	long bool
}

var errLongKey = errors.New("it prints more than a key")

// Write refuses what is longer than a kibibyte.
func (k *keyText) Write(p []byte) (int, error) {
	if k.text.Len()+len(p) > 1<<10 {
		k.long = true
		return 0, errLongKey
	}
	return k.text.Write(p)
}
