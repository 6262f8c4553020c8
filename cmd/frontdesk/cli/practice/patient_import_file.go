package practice

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/adapters/durable"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// importColumns are the columns of a file of patients. The first two are needed.
var importColumns = []string{"reference", "name", "birth_date", "telephone", "email", "nhs_number"}

// importRow is a line of a file of patients.
type importRow struct {
	commands.NewPatient
	line      int
	reference string // the practice's own identifier
}

// The limits of a file of patients, in bytes.
const (
	maxImportFile = 64 << 20
	maxReference  = 200
)

// readImport reads a file of patients. Its errors name the line, and no content.
func readImport(from io.Reader) (rows []importRow, err error) {
	content, err := io.ReadAll(io.LimitReader(from, maxImportFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", term.Cause(err))
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	switch {
	case len(content) > maxImportFile:
		return nil, errors.New("the file is larger than 64 MiB: split it")
	case !utf8.Valid(content):
		return nil, errors.New("the file is not UTF-8: export it as CSV UTF-8")
	}
	in := csv.NewReader(bytes.NewReader(content))
	heading, err := in.Read()
	if err != nil {
		return nil, csvError(err)
	}
	columns, err := columnsOf(heading)
	if err != nil {
		return nil, err
	}
	lines := map[string]int{} // by reference
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, csvError(err)
		}
		line, _ := in.FieldPos(0)
		row := rowOf(record, columns, line)
		if row.reference == "" || len(row.reference) > maxReference || strings.ContainsFunc(row.reference, unicode.IsControl) {
			return nil, fmt.Errorf("line %d: give a reference, your own identifier of the patient, in one line of at most %d bytes", line, maxReference)
		}
		if first, again := lines[row.reference]; again {
			return nil, fmt.Errorf("line %d: the reference is also in line %d", line, first)
		}
		if len(rows) == maxImport {
			return nil, fmt.Errorf("the file has more than %d patients: split it", maxImport)
		}
		lines[row.reference], rows = line, append(rows, row)
	}
}

// csvError describes invalid CSV without its content.
func csvError(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d: %w", wrong.Line, wrong.Err)
	}
	return fmt.Errorf("read the heading: %w", err)
}

// columnsOf returns the position of each column.
func columnsOf(heading []string) (map[string]int, error) {
	columns := map[string]int{}
	for n, name := range heading {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, again := columns[name]; again || !slices.Contains(importColumns, name) {
			return nil, fmt.Errorf("column %d of the first line is none of %s, or is there twice", n+1, strings.Join(importColumns, ", "))
		}
		columns[name] = n
	}
	for _, needed := range importColumns[:2] {
		if _, ok := columns[needed]; !ok {
			return nil, fmt.Errorf("the first line has no column %q", needed)
		}
	}
	return columns, nil
}

// rowOf reads the columns of a record.
func rowOf(record []string, columns map[string]int, line int) importRow {
	field := func(name string) string {
		n, ok := columns[name]
		if !ok {
			return ""
		}
		return strings.TrimSpace(record[n])
	}
	return importRow{line: line, reference: field("reference"), NewPatient: commands.NewPatient{
		Name: field("name"), BirthDate: isoDate(field("birth_date")),
		Contact: patient.Contact{Telephone: field("telephone"), Email: field("email"), NHSNumber: field("nhs_number")},
	}}
}

// isoDate returns a British date, such as 29/02/1980, as 1980-02-29, and any other text as it
// is.
func isoDate(text string) string {
	if day, err := time.Parse("2/1/2006", text); err == nil {
		return day.Format(time.DateOnly)
	}
	return text
}

// references are the identifiers of imported patients by the practice's references. They are
// in a file of the operator, and not in the database: a reference can identify a patient.
// Lines are only ever added to it.
type references struct {
	file *durable.Lock // nil if a dry run has none
	ids  map[string]patient.ID
	new  []string // not in the file yet
	size int64    // of its whole lines
}

var errNoReferences = errors.New("the file of --ids is not a list of references and patient identifiers: name another")

// openReferences reads the file, and locks it until close. A dry run makes no file.
func openReferences(name string, dryRun bool) (*references, error) {
	f, flag := &references{ids: map[string]patient.ID{}}, os.O_CREATE
	if dryRun {
		flag = 0
	}
	var err error
	f.file, err = durable.TryLock(name, flag, durable.Exclusive)
	switch {
	case dryRun && errors.Is(err, os.ErrNotExist):
		return f, nil
	case errors.Is(err, durable.ErrInUse):
		return nil, fmt.Errorf("another import is using %s: wait for it", filepath.Base(name))
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", name, term.Cause(err))
	}
	if err := f.read(); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

var referenceHeading = []string{"reference", "patientId"}

// read reads the whole lines. A part of a line at the end is from a killed run, which had
// registered none of its patients.
func (f *references) read() error {
	content, err := io.ReadAll(f.file)
	if err != nil {
		return fmt.Errorf("read the file of --ids: %w", term.Cause(err))
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	if f.size = int64(len(content)); f.size == 0 {
		return nil
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || !slices.Equal(records[0], referenceHeading) {
		return errNoReferences
	}
	for _, record := range records[1:] {
		var id patient.ID
		if err := id.UnmarshalText([]byte(record[1])); err != nil {
			return errNoReferences
		}
		f.ids[record[0]] = id
	}
	return nil
}

// of returns the identifier of a reference, and whether the file has it. Otherwise it is a
// new one, which write adds.
func (f *references) of(reference string) (id patient.ID, known bool) {
	if id, known = f.ids[reference]; !known {
		id.UUID = event.NewID()
		f.new = append(f.new, reference)
		f.ids[reference] = id
	}
	return id, known
}

// write adds the new identifiers to the file, and has the disk keep them.
func (f *references) write() error {
	var content bytes.Buffer
	out := csv.NewWriter(&content)
	if f.size == 0 {
		_ = out.Write(referenceHeading) // a buffer takes everything
	}
	for _, reference := range f.new {
		_ = out.Write([]string{reference, f.ids[reference].String()})
	}
	out.Flush()
	_, err := f.file.WriteAt(content.Bytes(), f.size)
	if err = errors.Join(err, f.file.Truncate(f.size+int64(content.Len())), f.file.Sync(), durable.SyncDir(filepath.Dir(f.file.Name()))); err != nil {
		return fmt.Errorf("write the file of --ids: %w", term.Cause(err))
	}
	return nil
}

func (f *references) close() {
	if f.file != nil {
		_ = f.file.Close() // each line is on the disk
	}
}
