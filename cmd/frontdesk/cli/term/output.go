package term

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"frontdesk/adapters/background"
	"frontdesk/adapters/durable"
)

// Output is where a command writes a file that it was asked for. A regular file is
// replaced as a whole, in its own folder. Standard output, a device and a pipe are
// written to as they stand: to put a file in the place of /dev/null would break the
// machine (D57).
type Output struct {
	Name   string    // without links
	given  string    // as it was typed
	Stream io.Writer // standard output; nil for anything else
	Whole  bool      // it is a regular file, or will be one
}

var (
	errTerminal = errors.New("name a file with --out: a terminal would act on control characters in the file")
	errNoReader = errors.New("this pipe has no reader: start its reader first")
)

// Output resolves a name, and refuses files that cannot be written. A link leads to the
// file that is written; the link stays.
func (r *Run) Output(given string) (Output, error) {
	switch given {
	case "":
		return Output{}, errors.New("the name of a file is empty: name one, or - for standard output")
	case "-":
		return r.standardOutput(given)
	}
	info, err := os.Stat(given)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(given); err == nil {
			return Output{}, fmt.Errorf("%s is a link that leads nowhere: remove it, or name the file itself", given)
		}
		return Output{Name: given, given: given, Whole: true}, nil
	case err != nil:
		return Output{}, fmt.Errorf("write %s: %w", given, Cause(err))
	case r.isStandardOutput(info):
		return r.standardOutput(given)
	}
	name, err := filepath.EvalSymlinks(given)
	if err != nil {
		name = given // /dev/fd/63 leads to a pipe that has no name
	}
	o := Output{Name: name, given: given}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		o.Whole = true
	case mode.IsDir():
		return Output{}, fmt.Errorf("%s is a folder: name a file in it", given)
	case mode&(fs.ModeNamedPipe|fs.ModeCharDevice) == 0:
		return Output{}, fmt.Errorf("%s is a disk or a socket, which is not written to: name a file, a pipe, or - for standard output", given)
	}
	return o, nil
}

func (r *Run) standardOutput(given string) (Output, error) {
	if file, ok := r.Raw.Out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return Output{}, errTerminal
	}
	return Output{Name: "-", given: given, Stream: r.Raw.Out}, nil
}

// Is reports whether two names stand for one place, which may be empty yet.
func (o Output) Is(other Output) bool {
	named := filepath.Base(o.Name) == filepath.Base(other.Name) && sameFile(filepath.Dir(o.Name), filepath.Dir(other.Name))
	return named || sameFile(o.Name, other.Name)
}

func sameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}

// isStandardOutput knows /dev/stdout, wherever that leads. A file in its place would not
// be the one that the shell has opened.
func (r *Run) isStandardOutput(info fs.FileInfo) bool {
	file, ok := r.Raw.Out.(*os.File)
	if !ok {
		return false
	}
	own, err := file.Stat()
	return err == nil && os.SameFile(own, info)
}

// Write passes the open output to a function. A link that led there is mentioned.
func (r *Run) Write(o Output, write func(io.Writer) error) error {
	switch {
	case o.Stream != nil:
		return write(o.Stream)
	case !o.Whole:
		return r.writeThrough(o.Name, write)
	}
	if err := ReplaceFile(o.Name, 0o600, write); err != nil {
		return err
	}
	if info, err := os.Lstat(o.given); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		fmt.Fprintf(r.Err, "%s is a link: %s was written\n", o.given, o.Name)
	}
	return nil
}

// writeThrough writes to a device or a pipe until ctx ends. A reader that stalls would
// otherwise hold it for ever.
func (r *Run) writeThrough(name string, write func(io.Writer) error) error {
	file, err := openPipe(r.Context, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, Cause(err))
	}
	if acts, err := isTerminal(file); err != nil || acts {
		return errors.Join(err, errTerminal, file.Close())
	}
	stop := context.AfterFunc(r.Context, func() { _ = file.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// readerWithin is how long a pipe may lack a reader, which may just be starting.
const readerWithin = 10 * time.Second

func openPipe(ctx context.Context, name string) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, readerWithin)
	defer cancel()
	for {
		file, err := os.OpenFile(name, os.O_WRONLY|atOnce, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return file, err
		}
		if !background.Sleep(ctx, 20*time.Millisecond) {
			return nil, errNoReader
		}
	}
}

// isTerminal does not ask with [os.File.Fd], after which a file takes no deadline.
func isTerminal(file *os.File) (is bool, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return false, err
	}
	return is, conn.Control(func(fd uintptr) { is = term.IsTerminal(int(fd)) })
}

// ReplaceFile writes a file beside its place, and puts it there when it is complete.
func ReplaceFile(name string, mode fs.FileMode, write func(io.Writer) error) error {
	folder := filepath.Dir(name)
	beside := filepath.Join(folder, ".frontdesk-"+rand.Text())
	err := durable.Create(beside, mode, write)
	if at, ok := errors.AsType[*fs.PathError](err); ok && at.Path == beside && at.Op == "open" {
		return fmt.Errorf("make a file in %s: %w", folder, at.Err)
	}
	if err != nil {
		return err
	}
	if err := durable.Rename(beside, name); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(beside))
	}
	return nil
}

// Cause is an error of the file system without the name, which is said already.
func Cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// WriteKey writes a private key to a new file and flushes it to disk: once its public half is
// handed out, the key must not be lost.
func WriteKey(name, key string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not written over: choose another file with --out", name)
	}
	if err != nil {
		return fmt.Errorf("write the private key: %w", err)
	}
	_, err = fmt.Fprintln(file, key)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write the private key: %w", err)
	}
	return nil
}
