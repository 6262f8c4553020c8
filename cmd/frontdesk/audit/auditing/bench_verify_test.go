package auditing_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// BenchmarkVerify compares the check of an export, by one goroutine, with nothing but
// SHA-256 over the same bytes.
func BenchmarkVerify(b *testing.B) {
	const events = 50_000
	lines, root := exported(b, events)
	marks := []export.Mark{{Size: events, Root: root}}
	benchtest.Comparison{
		Ratio: "of-sha256",
		Floor: benchtest.Rate{Unit: "hashed/s", Turn: func() benchtest.Work {
			begun := clock.Start()
			sha256.Sum256(lines)
			return benchtest.Work{Done: events, Took: begun.Elapsed()}
		}},
		Rate: benchtest.Rate{Unit: "verified/s", Turn: func() benchtest.Work {
			begun := clock.Start()
			if _, err := export.Check(bytes.NewReader(lines), proof.Edge{}, marks, nil); err != nil || !marks[0].Fits {
				b.Fatal("the export is not sound", err)
			}
			return benchtest.Work{Done: events, Took: begun.Elapsed()}
		}},
	}.Run(b)
	b.ReportMetric(float64(len(lines))/events, "bytes-an-event")
}

// exported is an export of patient requests, and the root of its tree.
func exported(tb testing.TB, events int64) (lines []byte, root [32]byte) {
	tb.Helper()
	var edge proof.Edge
	for n := range events {
		e := export.EventOf(n, submitted(n+1))
		edge.Append(e.Hash())
		var err error
		if lines, err = e.Append(lines); err != nil {
			tb.Fatal(err)
		}
	}
	return lines, edge.Root()
}

// submitted is a patient request as it is stored.
func submitted(idx int64) event.Stored {
	id, patient := event.NewID(), event.NewID()
	s := event.Stored{
		Idx: idx, ID: event.NewID(), Stream: event.Stream{Tenant: "elm-street", ID: id}, Version: 1,
		At: time.UnixMicro(1_800_000_000_000_000 + idx), Name: "patient-request.submitted.v1", Patient: patient, Sealed: make([]byte, 180),
		Data: []byte(`{"request":"` + id.String() + `","patient":"` + patient.String() + `","type":"medical","requester":"patient","answers":[` +
			`{"question":"What is wrong?","answer":"[personal]"},{"question":"Since when?","answer":"[personal]"}],"attachments":[]}`),
		Metadata: []byte(`{"actor":{"kind":"application","application":"` + id.String() + `","mode":"application-restricted"},"requestId":"` + id.String() + `"}`),
	}
	_, _ = rand.Read(s.Sealed)
	return s
}
