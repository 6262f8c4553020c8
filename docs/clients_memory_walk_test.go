//go:build walk

package docs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Five files of 10 MiB are read and encoded while they are sent: the process grows by less
// than two of them, whatever its collector does, also when it has to send them again.
func TestWalkClientsStreamAttachments_D99(t *testing.T) {
	t.Parallel()
	const size, most = 10 << 20, 20 << 20
	s, info := aSandbox(t)
	var files []string
	for i := range 5 {
		data := make([]byte, size)
		for at := range data {
			data[at] = byte(rand.Uint32())
		}
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jpg", i))
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		proxy := makeTrouble(t, info.APIURL)
		d := info.caller(t, c, proxy.URL)
		request := order{Do: "create-patient-request", Files: files[:1], Input: fields{
			"patientId": s.aPatient(t, info), "requestType": "admin", "requester": "patient",
			"response": []fields{{"question": "requestDetails", "answer": "Please see the pictures"}},
		}}
		d.must(request) // whatever a call takes is there
		before := d.peak()
		request.Files = files
		proxy.plan("create-patient-request", refuse, cutAfter)
		d.must(request)
		if grown := d.peak() - before; grown > most {
			t.Errorf("it grows by %d KiB from %d KiB", grown>>10, before>>10)
		}
	})
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory that the driver has had, in bytes.
func (d *driver) peak() int {
	d.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.command.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		d.t.Fatalf("the system says nothing of memory: %s", status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		d.t.Fatal(err)
	}
	return kib << 10
}
