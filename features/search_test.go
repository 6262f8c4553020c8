package features_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// formsOf returns the forms of a text in stored bytes: plain, escaped, in hexadecimal
// and in base64.
func formsOf(text string) (forms [][]byte) {
	quoted, _ := json.Marshal(text)
	for _, form := range []string{
		text, strings.Trim(string(quoted), `"`), strings.ToUpper(text), html.EscapeString(text), url.QueryEscape(text),
		hex.EncodeToString([]byte(text)), strings.ToUpper(hex.EncodeToString([]byte(text))),
	} {
		forms = append(forms, []byte(form))
	}
	for shift := range 3 { // base64 depends on the offset of the text in it
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all := alphabet.EncodeToString(append(make([]byte, shift), text...))
			forms = append(forms, []byte(all[(shift*8+5)/6:(shift+len(text))*8/6]))
		}
	}
	slices.SortFunc(forms, bytes.Compare)
	return slices.CompactFunc(forms, bytes.Equal)
}

// begins are the first bytes of a form. The searched bytes are a hundred megabytes, and
// are read once for all forms.
type begins [8]byte

// found returns the names of the texts that occur in the bytes, in any form.
func found(kept []byte, texts map[string]string) (names []string) {
	type sought struct {
		form []byte
		text string
	}
	var pairs [1 << 16]bool
	forms := map[begins][]sought{}
	for text := range texts {
		for _, form := range formsOf(text) {
			pairs[binary.BigEndian.Uint16(form)] = true
			forms[begins(form)] = append(forms[begins(form)], sought{form, text})
		}
	}
	there := map[string]bool{}
	for at := range max(0, len(kept)-len(begins{})+1) {
		if !pairs[binary.BigEndian.Uint16(kept[at:])] {
			continue
		}
		for _, s := range forms[begins(kept[at:])] {
			there[s.text] = there[s.text] || bytes.HasPrefix(kept[at:], s.form)
		}
	}
	for text, is := range there {
		if is {
			names = append(names, texts[text])
		}
	}
	slices.Sort(names)
	return names
}

// none reports personal texts in a place, except those of one name.
func (k *keeping) none(place string, kept []byte, texts map[string]string, but string) {
	k.t.Helper()
	for _, name := range found(kept, texts) {
		if but == "" || !strings.HasSuffix(name, but) {
			k.t.Errorf("in %s stands %s", place, name)
		}
	}
}

// every reports clear texts that the search does not find.
func (k *keeping) every(place string, kept []byte) {
	k.t.Helper()
	if there := found(kept, k.staff); len(there) != len(k.staff) {
		k.t.Errorf("in %s, only %v is found of %v", place, there, k.staff)
	}
}

// tables are the rows of every table, as text.
func (k *keeping) tables() map[string][]byte {
	k.t.Helper()
	rows, _ := k.db.Query(k.ctx, `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	k.must(err)
	all := map[string][]byte{}
	for _, name := range names {
		var text bytes.Buffer
		_, err := k.db.PgConn().CopyTo(k.ctx, &text, "COPY (SELECT * FROM "+name+") TO STDOUT")
		k.must(err)
		all[strings.TrimPrefix(name, "public.")] = text.Bytes()
	}
	return all
}

// files are all files of the cluster: its tables, its write-ahead log, Postgres' log.
func (k *keeping) files() (all []byte) {
	k.t.Helper()
	var dir string
	k.must(k.db.QueryRow(k.ctx, `SELECT current_setting('data_directory') FROM pg_switch_wal()`).Scan(&dir))
	_, err := k.db.Exec(k.ctx, `CHECKPOINT`)
	k.must(err)
	k.must(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		var text []byte
		if err == nil && entry.Type().IsRegular() {
			text, err = os.ReadFile(path)
			all = append(all, text...)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // Postgres removes files, such as caches of its catalogue, while it runs
		}
		return err
	}))
	return all
}

// dump is the output of pg_dump, without the digests of bodies, which stay there for a
// day.
func (k *keeping) dump() []byte {
	k.t.Helper()
	text, err := exec.CommandContext(k.ctx, "pg_dump", "--exclude-table-data=answers", k.program.DB.SuperuserURL).Output()
	k.must(err)
	return text
}

func (k *keeping) metrics() []byte {
	k.t.Helper()
	answer, err := http.Get(k.PrivateURL() + "/metrics")
	k.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	k.must(err)
	return text
}
