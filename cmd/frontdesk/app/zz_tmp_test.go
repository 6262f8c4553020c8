package app_test
import ("testing";"math/rand/v2";"frontdesk/domain/request";"frontdesk/domain/event")
func BenchmarkZZ(b *testing.B) {
	service, _, _ := serving(b)
	buf := make([]byte, 256<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(buf)
	b.SetBytes(50<<20)
	for b.Loop() {
		for range 5 {
			id := request.AttachmentID{UUID: event.NewID()}
			for n := range 40 { must(b, service.Uploads.AddChunk(b.Context(), "elm-street", id, n, buf)) }
		}
	}
}
