package practice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections/patientindex"
)

// PatientCommands are the verbs of patients and their care records.
type PatientCommands struct {
	Register               registerPatientCmd        `cmd:"" help:"Register a patient."`
	Import                 importPatientsCmd         `cmd:"" help:"Register the patients of a CSV file." detail:"A repeated import registers no one twice."`
	ChangeDetails          changePatientDetailsCmd   `cmd:"" help:"Change a patient's name and date of birth." detail:"The previous details stay in the log."`
	SetContactDetails      setContactDetailsCmd      `cmd:"" help:"Set a patient's telephone, email and NHS number." detail:"All three are replaced. The previous ones stay in the log. It warns of other patients with the same NHS number."`
	Find                   findPatientCmd            `cmd:"" help:"Find patients by name or NHS number." detail:"Any part of a name finds them. The search is recorded."`
	RestrictRecord         restrictPatientRecordCmd  `cmd:"" help:"Restrict a patient's record to named staff." detail:"Name none to lift the restriction."`
	OpenRecord             openCareRecordCmd         `cmd:"" sandboxonly:"" help:"Record that a care record was opened."`
	CreateNote             createNoteCmd             `cmd:"" sandboxonly:"" help:"Add a note to a patient's care record."`
	MarkNoteEnteredInError markNoteEnteredInErrorCmd `cmd:"" help:"Mark a note as entered in error." detail:"It stays in the record."`
}

type registerPatientCmd struct {
	term.SealingFlags `embed:""`
	Name              string     `required:"" help:"The patient's name."`
	Patient           patient.ID `placeholder:"UUID" help:"The patient's identifier; without it, one is minted."`
	BirthDate         string     `placeholder:"2006-01-02" help:"The patient's date of birth."`
}

func (c *registerPatientCmd) Run(r *term.Run) error {
	return term.Create(r, c.SealingFlags, "patientId", commands.Desk.RegisterPatient, commands.RegisterPatient{
		Tenant: c.Tenant, Patient: c.Patient, Name: c.Name, BirthDate: c.BirthDate,
	})
}

// patientFlags name a patient of a practice.
type patientFlags struct {
	term.PracticeFlags `embed:""`
	Patient            patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
}

type changePatientDetailsCmd struct {
	patientFlags        `embed:""`
	term.MasterKeyFlags `embed:""`
	Name                string `required:"" help:"The patient's new name."`
	BirthDate           string `required:"" placeholder:"2006-01-02" help:"The patient's new date of birth; empty if it is unknown."`
}

func (c *changePatientDetailsCmd) Run(r *term.Run) error {
	return term.SealingFlags{PracticeFlags: c.PracticeFlags, MasterKeyFlags: c.MasterKeyFlags}.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.ChangePatientDetails(ctx, commands.ChangePatientDetails{
			Tenant: c.Tenant, Patient: c.Patient, Name: c.Name, BirthDate: c.BirthDate,
		})
	})
}

type setContactDetailsCmd struct {
	patientFlags        `embed:""`
	term.MasterKeyFlags `embed:""`
	Telephone           string `required:"" help:"The patient's telephone number; empty if it is unknown."`
	Email               string `required:"" help:"The patient's email address; empty if it is unknown."`
	NHSNumber           string `name:"nhs-number" required:"" help:"The patient's NHS number, 10 digits; empty if it is unknown."`
}

// Run sets the details, and warns if other patients have the NHS number.
func (c *setContactDetailsCmd) Run(r *term.Run) error {
	master, err := c.Given(r)
	if err != nil {
		return err
	}
	return c.DoWith(r, app.Config{MasterKeys: master}, c.Tenant, func(ctx context.Context, engine *app.Engine, desk commands.Desk) (term.Made, error) {
		sharing, err := engine.PatientIndex().Sharing(ctx, c.Tenant, c.NHSNumber, c.Patient, mostSharing)
		if err != nil && !errors.Is(err, patientindex.ErrFull) {
			return nil, err
		}
		full := err != nil
		err = desk.SetContactDetails(ctx, commands.SetContactDetails{
			Tenant: c.Tenant, Patient: c.Patient, Contact: patient.Contact{Telephone: c.Telephone, Email: c.Email, NHSNumber: c.NHSNumber},
		})
		if err != nil {
			return nil, err
		}
		if full {
			fmt.Fprintln(r.Err, "warning: the practice has too many patients to compare NHS numbers")
		}
		return nil, c.warn(r, engine, sharing)
	})
}

// mostSharing is how many patients with the same NHS number a warning names.
const mostSharing = 10

// warn names the other patients with the same NHS number, by their identifiers, once it is
// recorded that it does.
func (c *setContactDetailsCmd) warn(r *term.Run, engine *app.Engine, sharing []patientindex.Match) error {
	if len(sharing) == 0 {
		return nil
	}
	named := url.Values{"tenant": {c.Tenant}, "patient": {c.Patient.String()}}
	for _, other := range sharing {
		named.Add("patient", other.Patient.String())
	}
	err := r.RecordReading(engine, c.Tenant, audit.Queried{Command: "set-contact-details", Filter: named.Encode(), Personal: true, Count: int64(len(named["patient"]))})
	if err != nil {
		return err
	}
	for _, other := range sharing {
		fmt.Fprintf(r.Err, "warning: patient %s now has the same NHS number as patient %s\n", c.Patient, other.Patient)
	}
	return nil
}

type restrictPatientRecordCmd struct {
	patientFlags     `embed:""`
	Username         []string `sep:"none" help:"Username of a member of staff who may see the record; may be repeated. Without any, the restriction is lifted."`
	term.TakingFlags `embed:""`
}

func (c *restrictPatientRecordCmd) Run(r *term.Run) error {
	follows := "Only these staff can then see the record."
	if len(c.Username) == 0 {
		follows = "All staff can then see the record again."
	}
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RestrictPatientRecord]{
		Tenant: c.Tenant, Follows: follows, Intent: commands.Desk.RestrictPatientRecord,
		Given: commands.RestrictPatientRecord{Tenant: c.Tenant, Patient: c.Patient, Usernames: c.Username},
	})
}

type openCareRecordCmd struct {
	patientFlags `embed:""`
}

func (c *openCareRecordCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.OpenCareRecord, commands.OpenCareRecord{Tenant: c.Tenant, Patient: c.Patient})
}

type createNoteCmd struct {
	patientFlags        `embed:""`
	term.MasterKeyFlags `embed:""`
	File                string `required:"" help:"The note as a text file; - for standard input. Other users of this machine can see command lines."`
}

func (c *createNoteCmd) Run(r *term.Run) error {
	text, err := readText("note", c.File, r.In)
	if err != nil {
		return err
	}
	return term.Create(r, term.SealingFlags{PracticeFlags: c.PracticeFlags, MasterKeyFlags: c.MasterKeyFlags}, "noteId", commands.Desk.CreateNote, commands.CreateNote{Tenant: c.Tenant, Patient: c.Patient, Text: text})
}

// errorFlags name an entry that was made in error, and the reason.
type errorFlags struct {
	patientFlags `embed:""`
	Reason       string `required:"" help:"Reason. Applications and auditors read it. Stored unencrypted: do not include names."`
}

type markNoteEnteredInErrorCmd struct {
	errorFlags `embed:""`
	Note       record.NoteID `required:"" placeholder:"UUID" help:"The note's identifier."`
}

func (c *markNoteEnteredInErrorCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.MarkNoteEnteredInError, commands.MarkNoteEnteredInError{
		Tenant: c.Tenant, Patient: c.Patient, Note: c.Note, Reason: c.Reason,
	})
}

type markPatientRequestEnteredInErrorCmd struct {
	errorFlags     `embed:""`
	PatientRequest request.ID `required:"" placeholder:"UUID" help:"The patient request's identifier."`
}

func (c *markPatientRequestEnteredInErrorCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.MarkPatientRequestEnteredInError, commands.MarkPatientRequestEnteredInError{
		Tenant: c.Tenant, Patient: c.Patient, Request: c.PatientRequest, Reason: c.Reason,
	})
}

// readText returns the content of a file, or of standard input for "-".
func readText(what, file string, in io.Reader) (string, error) {
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(in) }
	}
	text, err := read()
	if err != nil {
		return "", fmt.Errorf("read the %s: %w", what, err)
	}
	return string(text), nil
}

type submitPatientRequestCmd struct {
	term.SealingFlags `embed:""`
	File              string `required:"" help:"The request body of the API as a file; - for standard input."`
}

// Run submits the request in the file, as a call of the API would.
func (c *submitPatientRequestCmd) Run(r *term.Run) error {
	in, err := c.open(r.In)
	if err != nil {
		return err
	}
	defer in.Close()
	master, err := c.Given(r)
	if err != nil {
		return err
	}
	return c.DoWith(r, app.Config{MasterKeys: master}, c.Tenant, func(ctx context.Context, engine *app.Engine, desk commands.Desk) (term.Made, error) {
		files := &body.Files{Tenant: c.Tenant, Uploads: engine.Uploads}
		defer func() { _ = files.Close(context.WithoutCancel(ctx)) }() // files that stay are swept
		form, err := files.Read(ctx, in)
		if err != nil {
			return nil, err
		}
		submission, err := form.PatientRequest(form.Patient())
		if err != nil {
			return nil, err
		}
		id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: c.Tenant, Submission: submission})
		return term.Made{"patientRequestId": id}, err
	})
}

func (c *submitPatientRequestCmd) open(in io.Reader) (io.ReadCloser, error) {
	if c.File == "-" {
		return io.NopCloser(in), nil
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return file, nil
}

type findPatientCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	Tenant              string `required:"" help:"The practice's tenant identifier."`
	Name                string `required:"" help:"Any parts of the patient's name, in any order, or their NHS number. Case and accents do not matter."`
	JSON                bool   `name:"json" help:"Print one JSON object."`
}

// mostFound is how many patients are shown.
const mostFound = 50

var errNoSearch = fault.New(fault.Invalid, "missing-name", "Give a part of the patient's name.")

// Run prints who is found, once it is recorded who they are.
func (c *findPatientCmd) Run(r *term.Run) error {
	if strings.TrimSpace(c.Name) == "" {
		return errNoSearch
	}
	ctx, cancel := context.WithTimeout(r.Context, term.CommandLimit)
	defer cancel()
	engine, err := c.OpenAll(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Practices().Find(ctx, c.Tenant); err != nil {
		return err
	}
	found, more, err := engine.PatientIndex().Search(ctx, c.Tenant, c.Name, mostFound)
	if err != nil {
		return err
	}
	if err := c.record(r, engine, found); err != nil {
		return err
	}
	return c.print(r.Out, found, more)
}

// record appends which names are about to be shown, and not the search terms.
func (c *findPatientCmd) record(r *term.Run, engine *app.Engine, found []patientindex.Match) error {
	filter := url.Values{"tenant": {c.Tenant}}
	for _, f := range found {
		filter.Add("patient", f.Patient.String())
	}
	return r.RecordReading(engine, c.Tenant, audit.Queried{
		Command: "find-patient", Filter: filter.Encode(), Personal: true, Count: int64(len(found)),
	})
}

type foundPatient struct {
	Patient   patient.ID `json:"patientId"`
	Name      string     `json:"name"`
	BirthDate string     `json:"birthDate,omitempty"`
}

func (c *findPatientCmd) print(w io.Writer, found []patientindex.Match, more bool) error {
	all := []foundPatient{}
	for _, f := range found {
		all = append(all, foundPatient{f.Patient, f.Name, f.BirthDate})
	}
	if c.JSON {
		return json.NewEncoder(w).Encode(map[string]any{"patients": all, "more": more})
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	var failed error
	for _, f := range all {
		failed = errors.Join(failed, term.Row(table, f.Patient, f.Name, f.BirthDate))
	}
	failed = errors.Join(failed, table.Flush())
	if more {
		fmt.Fprintf(w, "there are more: these are the first %d; give more of the name\n", mostFound)
	}
	return failed
}
