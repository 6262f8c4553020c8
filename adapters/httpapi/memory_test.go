package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"frontdesk/adapters/httpapi"
)

// Texts need memory, and small values even more, so an application may not send many at
// once.
func TestTextsLeaveRoomForOthers_D43(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		permits httpapi.Permits
		long    string
	}{
		"texts":       {httpapi.Permits{Texts: 4}, cough() + strings.Repeat(" ", 17<<10)},
		"long texts":  {httpapi.Permits{LongTexts: 4}, cough() + strings.Repeat(" ", 70<<10)},
		"values":      {httpapi.Permits{Texts: 4}, strings.TrimSuffix(cough(), "}") + `,"x":[` + strings.Repeat("{},", 300) + `{}]}`},
		"many values": {httpapi.Permits{LongTexts: 4}, strings.TrimSuffix(cough(), "}") + `,"x":[` + strings.Repeat("{},", 3000) + `{}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { crowdWithTexts(t, serve(t, crowd(&counter{}, test.permits)), test.long) })
		})
	}
}

// crowdWithTexts takes 3 of 4 permits with bodies that do not end.
func crowdWithTexts(t *testing.T, w *wire, long string) {
	t.Helper()
	var clients []*client
	for n := range 3 {
		clients = append(clients, w.dial(t))
		clients[n].send(t, as("greedy", len(long))+long[:len(long)-1])
	}
	synctest.Wait()
	late := w.dial(t)
	go func() { _, _ = io.WriteString(late, as("greedy", len(long))+long) }()
	wantShare(t, late.answer(t))
	wantServed(t, w, "greedy") // a short one finds room
	other := w.dial(t)
	go func() { _, _ = io.WriteString(other, as("other", len(long))+long) }()
	wantAnswer(t, other.answer(t), http.StatusOK)
	for _, c := range clients {
		c.send(t, long[len(long)-1:])
		wantAnswer(t, c.answer(t), http.StatusOK)
	}
	late.send(t, as("greedy", len(long))+long)
	wantAnswer(t, late.answer(t), http.StatusOK)
}

func TestFilesLeaveRoomForOthers_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, crowd(&counter{}, httpapi.Permits{Files: 4}))
		file := cough(jpeg("x.jpg", make([]byte, 1000)))
		var clients []*client
		for n := range 3 {
			clients = append(clients, w.dial(t))
			clients[n].send(t, as("greedy", len(file))+file[:len(file)-100])
		}
		synctest.Wait()
		late := w.dial(t)
		go func() { _, _ = io.WriteString(late, as("greedy", len(file))+file) }()
		wantShare(t, late.answer(t))
		wantServed(t, w, "greedy")
		other := w.dial(t)
		other.send(t, as("other", len(file))+file)
		wantAnswer(t, other.answer(t), http.StatusOK)
		for _, c := range clients {
			c.send(t, file[len(file)-100:])
			wantAnswer(t, c.answer(t), http.StatusOK)
		}
	})
}
