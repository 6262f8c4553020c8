package app_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// BenchmarkUpload compares a request of five files of 10 MiB with a COPY of
// the same bytes, decoded, into the same Postgres in rows of the same size.
func BenchmarkUpload(b *testing.B) {
	service, integrator, patient := serving(b)
	files := make([][]byte, 5)
	for i := range files {
		files[i] = make([]byte, 10<<20)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(files[i])
	}
	body := withFiles(patient, files)
	client := &http.Client{}
	b.Cleanup(client.CloseIdleConnections)

	b.Run("copy", func(b *testing.B) {
		_, err := service.admin.Exec(b.Context(), `DROP TABLE IF EXISTS copied;
			CREATE TABLE copied (n int, data bytea); ALTER TABLE copied ALTER COLUMN data SET STORAGE EXTERNAL`)
		must(b, err)
		b.SetBytes(50 << 20)
		for b.Loop() {
			copyAll(b, service.admin, files)
		}
	})
	b.Run("upload", func(b *testing.B) {
		b.SetBytes(50 << 20)
		for b.Loop() {
			upload := submission(service.URL(), patient)
			upload.Body = body
			must(b, callOnce(b.Context(), client, upload, integrator.Token(service.Desk.Now())))
		}
	})
}

// withFiles is a request body.
func withFiles(patient string, files [][]byte) string {
	attachments := make([]string, len(files))
	for i, content := range files {
		attachments[i] = fmt.Sprintf(`{"fileName":"%d.jpg","contentType":"image/jpeg","data":%q}`, i, base64.StdEncoding.EncodeToString(content))
	}
	body := requestBody(patient)
	return body[:len(body)-1] + `,"attachments":[` + strings.Join(attachments, ",") + `]}`
}

func copyAll(b *testing.B, pool *pgxpool.Pool, files [][]byte) {
	b.Helper()
	const size = 256 << 10
	n, perFile := 0, len(files[0])/size
	_, err := pool.CopyFrom(b.Context(), pgx.Identifier{"copied"}, []string{"n", "data"}, pgx.CopyFromFunc(func() ([]any, error) {
		if n == perFile*len(files) {
			return nil, nil
		}
		at := n % perFile * size
		row := []any{n, files[n/perFile][at : at+size]}
		n++
		return row, nil
	}))
	must(b, err)
}
