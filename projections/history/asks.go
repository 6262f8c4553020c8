package history

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// Limits of what a list shows of the texts of requests.
const (
	asksShown   = 90       // characters of one
	longestAsks = 32 << 10 // bytes of the encrypted answers of one
)

// submissionsOf reads the submissions of requests that are still linked to the patients in the
// list: the list follows the feed, so a request may have moved since. The encrypted answers of a
// long one are not read.
const submissionsOf = `
SELECT e.id, e.stream, e.version, e.name, e.data, e.metadata, CASE WHEN octet_length(e.sealed) <= $5 THEN e.sealed END, e.recorded_at
FROM generate_subscripts($2::uuid[], 1) AS n
CROSS JOIN LATERAL (SELECT patient FROM events WHERE stream = ($2::uuid[])[n] AND tenant = $1 ORDER BY version DESC LIMIT 1) AS linked
CROSS JOIN LATERAL (SELECT * FROM events WHERE stream = ($2::uuid[])[n] AND tenant = $1 AND version = 1 AND name = $4 OFFSET 0) e
WHERE linked.patient = ($3::uuid[])[n]`

// Asks returns the beginnings of what the patients of rows ask, by request. That of a text that
// is too long to be read for a list is "". It leaves out requests that have moved to another
// patient, were erased just now, or have no answer. The caller has made sure that the reader may
// see the patients' records.
func (q Requests) Asks(ctx context.Context, tenant string, rows []projections.InboxRow) (map[request.ID]string, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	streams, patients := make([]uuid.UUID, len(rows)), make([]uuid.UUID, len(rows))
	ids := make(map[uuid.UUID]request.ID, len(rows))
	for n, r := range rows {
		streams[n], patients[n] = request.StreamOf(tenant, r.Request).ID, r.Patient.UUID
		ids[streams[n]] = r.Request
	}
	found, _ := q.DB.Query(ctx, submissionsOf, tenant, streams, patients, request.Submitted{}.EventName(), longestAsks)
	stored, err := projections.ScanStored(found, tenant)
	if err != nil {
		return nil, fmt.Errorf("read the texts of requests: %w", err)
	}
	opened, err := q.Opens.Open(ctx, stored)
	if err != nil {
		return nil, fmt.Errorf("open the texts of requests: %w", err)
	}
	asks := make(map[request.ID]string, len(opened))
	for n, r := range opened {
		if sent, is := r.Event.(request.Submitted); is {
			long := len(stored[n].Sealed) == 0
			if text := beginningOf(sent.Response); text != "" && text != event.Erased && !long {
				asks[ids[r.Stream.ID]] = text
			} else if long && len(sent.Response) > 0 {
				asks[ids[r.Stream.ID]] = ""
			}
		}
	}
	return asks, nil
}

// beginningOf returns the beginning of the first answer that has a text, in one line.
func beginningOf(answers []request.Answer) string {
	for _, a := range answers {
		text := []rune(strings.Join(strings.Fields(a.Answer), " "))
		switch {
		case len(text) > asksShown:
			return strings.TrimSpace(string(text[:asksShown])) + "…"
		case len(text) > 0:
			return string(text)
		}
	}
	return ""
}
