package backup

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"frontdesk/adapters/durable"
)

var (
	walFile = regexp.MustCompile(`^([0-9A-F]{8}\.history|[0-9A-F]{24}(\.partial|\.[0-9A-F]{8}\.backup)?)$`)
	segment = regexp.MustCompile(`^[0-9A-F]{24}$`)
)

// segmentSize is that of all clusters that this package backs up, in bytes.
const segmentSize = 16 << 20

// compressed is the end of the name of a stored file. A quiet cluster closes a segment each
// minute that is nearly empty, so an archive of whole segments would grow by 24 GB a day.
const compressed = ".gz"

// Archive stores a file of WAL compressed under its name, as Postgres' archive_command. It
// returns once the file is on the disk. A file that is stored already is left as it is; one with another
// content is an error, because two clusters must not share an archive.
func (f Folder) Archive(path, name string) error {
	if !walFile.MatchString(name) {
		return fmt.Errorf("%q is no name of a file of WAL", name)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	if err := os.Mkdir(f.path("wal"), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	switch stored, err := f.stored(name); {
	case err == nil && bytes.Equal(stored, content):
		return durable.SyncDir(f.path("wal"))
	case err == nil:
		return fmt.Errorf("archive %s: another content has that name in %s: does another cluster archive there?", name, f.path("wal"))
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("archive %s: %w", name, err)
	}
	var small bytes.Buffer
	to := gzip.NewWriter(&small)
	_, err = to.Write(content)
	if err := errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	if err := durable.Replace(f.wal(name), 0o600, small.Bytes()); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

// stored returns the content of a stored file.
func (f Folder) stored(name string) (content []byte, err error) {
	file, err := os.Open(f.wal(name))
	if err != nil {
		return nil, err //nolint:wrapcheck // the callers name the file
	}
	defer file.Close()
	from, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if content, err = io.ReadAll(io.LimitReader(from, segmentSize+1)); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if len(content) > segmentSize {
		return nil, errors.New("damaged: it is larger than a segment")
	}
	return content, nil
}

// ErrNoWAL reports a file of WAL that is not archived. It ends a recovery.
var ErrNoWAL = errors.New("not in the archive")

// Fetch copies a file of WAL to where Postgres wants it, as its restore_command.
func (f Folder) Fetch(name, path string) error {
	if !walFile.MatchString(name) {
		return fmt.Errorf("%q is no name of a file of WAL", name)
	}
	content, err := f.stored(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrNoWAL)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	err = durable.Replace(path+draft, 0o600, content)
	if err == nil {
		err = os.Rename(path+draft, path)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}

// segments returns the names of the archived segments, in the order of names.
func (f Folder) segments() (names []string, err error) {
	entries, err := os.ReadDir(f.path("wal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the archive of WAL: %w", err)
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), compressed); ok && segment.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// number is the place of a segment in the WAL, whatever its timeline: it grows from segment
// to segment, by more than one where the upper half of the name grows.
func number(name string) uint64 {
	if len(name) != 24 {
		return 0
	}
	n, _ := strconv.ParseUint(name[8:], 16, 64)
	return n
}

// checkWAL returns the last archived segment since a base backup, "" for none, and an error if
// one before it is missing or is not whole.
func (f Folder) checkWAL(base Base) (last string, err error) {
	names, err := f.segments()
	if err != nil {
		return "", err
	}
	byNumber := map[uint64]string{}
	var highest uint64
	for _, name := range names {
		if n := number(name); n >= number(base.Segment) {
			byNumber[n], highest = name, max(highest, n)
		}
	}
	if len(byNumber) == 0 {
		return "", fmt.Errorf("the archive has no WAL since the backup %s: look at archive_command, and at pg_stat_archiver", base.Name)
	}
	for n := number(base.Segment); ; n = next(n) {
		name, ok := byNumber[n]
		if !ok {
			return "", fmt.Errorf("the archive lacks the WAL segment …%016X, which comes after the backup %s", n, base.Name)
		}
		whole, err := f.whole(name)
		if err != nil {
			return "", fmt.Errorf("read the archive of WAL: %w", err)
		}
		if !whole {
			return "", fmt.Errorf("the WAL segment %s is not whole", name)
		}
		if n == highest {
			return name, nil
		}
	}
}

// whole reports whether a segment ends as a compressed file of its size does. A damage inside
// is found by a restore.
func (f Folder) whole(name string) (bool, error) {
	file, err := os.Open(f.wal(name))
	if err != nil {
		return false, err //nolint:wrapcheck // the caller names the archive
	}
	defer file.Close()
	var size [4]byte
	if _, err := file.Seek(-int64(len(size)), io.SeekEnd); err != nil {
		return false, nil // it is shorter than that
	}
	_, err = io.ReadFull(file, size[:])
	return binary.LittleEndian.Uint32(size[:]) == segmentSize, err
}

// next is the place of the segment after another.
func next(n uint64) uint64 {
	if n&0xFFFFFFFF == 1<<32/segmentSize-1 { // the last in the lower half
		return (n>>32 + 1) << 32
	}
	return n + 1
}
