//go:build prove

package main_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/request"
)

var uploads = provetest.Pick(10, 50)

const (
	filesPerUpload = 5
	fileSize       = 10 << 20
	memoryLimit    = "192MiB"
	mostResident   = 256 << 20
)

// TestProveThatUploadsAreSmall sends fifty requests of five files of 10 MiB at
// once, all different, to a program whose memory is limited, and then reads
// every file back byte by byte.
func TestProveThatUploadsAreSmall(t *testing.T) { //nolint:paralleltest // it measures
	s := newSandbox(t)
	s.Env = []string{"GOMEMLIMIT=" + memoryLimit}
	s.Start()
	watched := watchMemory(t, filepath.Join(s.Dir, "postgres", "postmaster.pid"))

	begun := clock.Start()
	var group sync.WaitGroup
	for u := range uploads {
		group.Go(func() {
			if err := s.upload(t.Context(), u); err != nil {
				t.Errorf("upload %d: %v", u, err)
			}
		})
	}
	group.Wait()
	took := begun.Elapsed()

	resident := peakOf(t, s.PID())
	if resident >= mostResident {
		t.Errorf("frontdesk had %d MiB resident, want less than %d", resident>>20, mostResident>>20)
	}
	t.Logf("%d uploads of %d × %d MiB at once took %s (%.0f MB/s decoded); frontdesk, with GOMEMLIMIT=%s, had at most %d MiB resident; Postgres %d MiB",
		uploads, filesPerUpload, fileSize>>20, took.Round(time.Millisecond), float64(uploads*filesPerUpload*fileSize)/1e6/took.Seconds(),
		memoryLimit, resident>>20, watched()>>20)
	s.readBack(t)
	provetest.Tried(t, uploads*filesPerUpload, "files")
}

// upload makes one call; its body is made while it is sent.
func (s *program) upload(ctx context.Context, u int) error {
	info := s.Info()
	signer, err := testworld.Signer(info.Application.KID, info.Application.PrivateKeyFile)
	if err != nil {
		return err
	}
	token, err := signer.Token(info.Application.ID.String(), "", clock.System())
	if err != nil {
		return err
	}
	body, length := uploadBody(u, info.Patients[0].ID.String())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, info.APIURL+"/transactional-api/create-patient-request", body)
	if err != nil {
		return err
	}
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d %s, %w", response.StatusCode, text, err)
	}
	return nil
}

// content is the content of a file of an upload: all differ, and none can be compressed.
func content(u, f int) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{byte(u), byte(f), 1}), fileSize)
}

// uploadBody is a body that is made while it is read, and its length.
func uploadBody(u int, patient string) (io.Reader, int64) {
	begin := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A rash"}],"attachments":[`, patient)
	parts, length := []io.Reader{strings.NewReader(begin)}, len(begin)
	add := func(text string) {
		parts, length = append(parts, strings.NewReader(text)), length+len(text)
	}
	for f := range filesPerUpload {
		add(strings.Repeat(",", min(f, 1)) + fmt.Sprintf(`{"fileName":"%d-%d`+uploadedName+`","contentType":"image/jpeg","data":"`, u, f))
		parts, length = append(parts, encoded(content(u, f))), length+base64.StdEncoding.EncodedLen(fileSize)
		add(`"}`)
	}
	add(`]}`)
	return io.MultiReader(parts...), int64(length)
}

func encoded(content io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		encoder := base64.NewEncoder(base64.StdEncoding, in)
		_, err := io.Copy(encoder, content)
		in.CloseWithError(errors.Join(err, encoder.Close()))
	}()
	return out
}

// uploadedName ends the names of files that the test sends.
const uploadedName = "-uploaded.jpg"

// readBack writes every file that an event names through the program's own command, and
// compares it with the file that was sent.
func (s *program) readBack(t *testing.T) {
	t.Helper()
	master, err := sealing.ReadRing(s.Info().MasterKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: s.Info().DatabaseURL, MasterKeys: sealing.NewRing(master...)})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	var same atomic.Int64
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for e, err := range engine.Log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		submitted, _ := e.Event.(request.Submitted)
		for _, a := range submitted.Attachments {
			if !strings.HasSuffix(a.FileName, uploadedName) {
				continue // of the seed
			}
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				if err := s.compareFile(a); err != nil {
					t.Errorf("%s: %v", a.FileName, err)
					return
				}
				same.Add(1)
			})
		}
	}
	group.Wait()
	if same.Load() != int64(uploads*filesPerUpload) {
		t.Errorf("%d files are as they were sent, want %d", same.Load(), uploads*filesPerUpload)
	}
	t.Logf("%d files were read back byte by byte as they were sent", same.Load())
}

func (s *program) compareFile(a request.Attachment) error {
	var u, f int
	if _, err := fmt.Sscanf(a.FileName, "%d-%d"+uploadedName, &u, &f); err != nil {
		return err
	}
	same, complaint := &comparison{want: content(u, f)}, &bytes.Buffer{}
	cmd := exec.CommandContext(s.t.Context(), testworld.Binary(s.t), "audit", "attachment", "--database-url", s.Info().DatabaseURL, a.ID.String())
	cmd.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY_FILE="+filepath.Join(s.Dir, "master.key"))
	cmd.Stdout, cmd.Stderr = same, complaint
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, complaint)
	}
	return same.end()
}

// comparison is a writer that expects something.
type comparison struct {
	want io.Reader
	buf  [32 << 10]byte
}

var errDiffers = errors.New("the content differs from the file that was sent")

// Write keeps the bytes.
func (c *comparison) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), len(c.buf))
		if _, err := io.ReadFull(c.want, c.buf[:n]); err != nil || !bytes.Equal(c.buf[:n], rest[:n]) {
			return 0, errDiffers
		}
		rest = rest[n:]
	}
	return len(p), nil
}

func (c *comparison) end() error {
	if n, _ := io.Copy(io.Discard, c.want); n > 0 {
		return fmt.Errorf("%w: %d bytes are missing", errDiffers, n)
	}
	return nil
}

// peakOf is the most that a process has had resident, in bytes.
func peakOf(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes(string(status), "VmHWM:") << 10
}

func kilobytes(text, name string) int64 {
	_, after, _ := strings.Cut(text, name)
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n
}

// watchMemory looks five times a second at how much memory Postgres takes, its
// shared part counted once; peak ends the watching.
func watchMemory(t *testing.T, pidFile string) (peak func() int64) {
	t.Helper()
	first, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	postmaster, _, _ := strings.Cut(string(first), "\n")
	ctx, stop := context.WithCancel(t.Context())
	var most int64
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			most = max(most, memoryOf(postmaster))
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	return func() int64 { stop(); group.Wait(); return most }
}

// memoryOf is the memory of a process and of its children.
func memoryOf(parent string) (sum int64) {
	processes, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range processes {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields, pid := strings.Fields(after), filepath.Base(filepath.Dir(stat))
		if pid == parent || len(fields) > 1 && fields[1] == parent {
			rollup, _ := os.ReadFile(filepath.Dir(stat) + "/smaps_rollup")
			sum += kilobytes(string(rollup), "Pss:") << 10
		}
	}
	return sum
}
