package practice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
	"frontdesk/projections/patientindex"
)

// importPatientsCmd registers the patients of a file.
type importPatientsCmd struct {
	term.SealingFlags `embed:""`
	File              string `arg:"" help:"Patients as CSV with the columns reference, name, birth_date, telephone, email and nhs_number; - for standard input."`
	IDs               string `name:"ids" required:"" placeholder:"FILE" help:"CSV of references and patient identifiers. It is written before patients are registered; with it, a repeated import goes on."`
	DryRun            bool   `help:"Check the file without registering anyone."`
	AllowDuplicates   bool   `help:"Also register patients who may be registered already, and print them as warnings."`
}

// The limits of an import.
const (
	maxImport   = 200_000 // patients
	importBatch = 100     // patients of one append
	importLimit = time.Hour
)

var errImportFaults = errors.New("nothing was changed: fix these lines and import the file again")

// Run checks the whole file, writes down the identifiers, and registers those who are not
// registered yet. Ctrl-C and a kill leave some of them registered; the next run goes on.
func (c *importPatientsCmd) Run(r *term.Run) error {
	rows, err := c.read(r)
	if err != nil {
		return err
	}
	ids, err := openReferences(c.IDs, c.DryRun)
	if err != nil {
		return err
	}
	defer ids.close()
	master, err := c.Given(r)
	if err != nil {
		return err
	}
	engine, ctx, err := c.OpenDesk(r, app.Config{MasterKeys: master})
	if err != nil {
		return err
	}
	defer engine.Close()
	ctx, cancel := context.WithTimeout(ctx, importLimit)
	defer cancel()
	report := &importReport{run: r, cmd: c, meter: term.NewMeter(r.Raw.Err, "importing", "patients")}
	if err := c.check(ctx, engine, rows, ids, report); err != nil {
		return err
	}
	if c.DryRun {
		return report.summary()
	}
	if err := ids.write(); err != nil {
		return err
	}
	return c.register(ctx, engine, rows, report)
}

// check gives each row its identifier, and refuses the file if a row is invalid or may be a
// duplicate. Nothing is stored or written.
func (c *importPatientsCmd) check(ctx context.Context, engine *app.Engine, rows []importRow, ids *references, report *importReport) error {
	if _, err := engine.Practices().Find(ctx, c.Tenant); err != nil {
		return err
	}
	if err := engine.CanOpen(); err != nil {
		return err
	}
	var fresh []importRow // without an identifier in the file
	for n, row := range rows {
		id, known := ids.of(row.reference)
		if rows[n].Patient = id; !known {
			fresh = append(fresh, rows[n])
		}
		if _, err := (patient.Patient{}).Import(id, row.Name, row.BirthDate, row.Contact, engine.Desk.Now()); err != nil {
			report.fault(row.line, err)
		}
	}
	if err := report.refusal(); err != nil {
		return err
	}
	sharedInFile(fresh, report)
	if err := c.findDuplicates(ctx, engine, fresh, report); err != nil {
		return err
	}
	if c.AllowDuplicates {
		report.warn()
		return nil
	}
	return report.refusal()
}

// sharedInFile reports each row with the NHS number of an earlier row.
func sharedInFile(rows []importRow, report *importReport) {
	first := map[string]int{} // line, by NHS number
	for _, row := range rows {
		number, ok := patient.ParseNHSNumber(row.Contact.NHSNumber)
		if !ok {
			continue
		}
		if line, shared := first[number]; shared {
			report.fault(row.line, fmt.Errorf("has the same NHS number as line %d: correct one of them, or use --allow-duplicates", line))
			continue
		}
		first[number] = row.line
	}
}

// findDuplicates reports rows that may be patients who are registered already, or have their
// NHS number, and records which patients it names.
func (c *importPatientsCmd) findDuplicates(ctx context.Context, engine *app.Engine, rows []importRow, report *importReport) error {
	people := make([]patientindex.Person, len(rows))
	for n, row := range rows {
		people[n] = patientindex.Person{Name: row.Name, BirthDate: row.BirthDate, NHSNumber: row.Contact.NHSNumber}
	}
	found, err := engine.PatientIndex().Duplicates(ctx, c.Tenant, people)
	if errors.Is(err, patientindex.ErrFull) && c.AllowDuplicates {
		return nil
	}
	if err != nil || len(found) == 0 {
		return err
	}
	named := url.Values{"tenant": {c.Tenant}}
	for _, n := range slices.Sorted(maps.Keys(found)) {
		if len(named["patient"]) < mostFaults {
			named.Add("patient", found[n].Patient.String())
		}
		text := "may be patient %s, who is registered already: remove the line, or use --allow-duplicates"
		if found[n].SameNumber {
			text = "has the same NHS number as patient %s: correct one of them, or use --allow-duplicates"
		}
		report.fault(rows[n].line, fmt.Errorf(text, found[n].Patient))
	}
	return report.run.RecordReading(engine, c.Tenant, audit.Queried{Command: "import-patients", Filter: named.Encode(), Personal: true, Count: int64(len(named["patient"]))})
}

// register registers the patients, batch by batch.
func (c *importPatientsCmd) register(ctx context.Context, engine *app.Engine, rows []importRow, report *importReport) error {
	done := 0
	for batch := range slices.Chunk(rows, importBatch) {
		intent := commands.ImportPatients{Tenant: c.Tenant}
		for _, row := range batch {
			intent.Patients = append(intent.Patients, row.NewPatient)
		}
		registered, err := engine.Desk.ImportPatients(ctx, intent)
		if err != nil {
			return fmt.Errorf("%w (%d of %d patients are done; import the same file again to go on)", err, done, len(rows))
		}
		done += len(batch)
		if err := report.done(batch, registered); err != nil {
			return err
		}
		report.meter.Show(int64(done), int64(len(rows)))
	}
	report.meter.End()
	if err := engine.Drain(ctx); err != nil {
		return fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return report.summary()
}

// importReport prints the outcome of rows, without personal data.
type importReport struct {
	run                *term.Run
	cmd                *importPatientsCmd
	meter              *term.Meter
	faults             []string // the first of them
	more               int      // how many others
	registered, before int
}

// fault keeps a refusal of a line, if there are not too many.
func (i *importReport) fault(line int, err error) {
	if len(i.faults) == mostFaults {
		i.more++
		return
	}
	i.faults = append(i.faults, fmt.Sprintf("line %d: %v", line, err))
}

// refusal prints the refusals, a line each, and returns an error if there are any.
func (i *importReport) refusal() error {
	switch len(i.faults) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("nothing was changed: %s", i.faults[0])
	}
	i.print("")
	return errImportFaults
}

// warn prints the faults as warnings.
func (i *importReport) warn() { i.print("warning: ") }

// print prints the faults, a line each.
func (i *importReport) print(before string) {
	for _, fault := range i.faults {
		fmt.Fprintln(i.run.Err, before+fault)
	}
	if i.more > 0 {
		fmt.Fprintf(i.run.Err, "%sand %d more\n", before, i.more)
	}
}

// done counts the patients of a batch, and prints them for programs.
func (i *importReport) done(batch []importRow, registered []patient.ID) error {
	i.registered += len(registered)
	i.before += len(batch) - len(registered)
	if !i.cmd.JSON {
		return nil
	}
	out := json.NewEncoder(i.run.Out)
	for _, row := range batch {
		err := out.Encode(map[string]any{"line": row.line, "patientId": row.Patient, "registered": slices.Contains(registered, row.Patient)})
		if err != nil {
			return err
		}
	}
	return nil
}

func (i *importReport) summary() error {
	if i.cmd.JSON {
		return nil
	}
	text := "the file can be imported\n"
	if !i.cmd.DryRun {
		text = fmt.Sprintf("registered %d patients; %d were registered before\n", i.registered, i.before)
	}
	_, err := i.run.Out.Write([]byte(text))
	return err
}

// read reads the rows of the file.
func (c *importPatientsCmd) read(r *term.Run) ([]importRow, error) {
	if c.File == "-" {
		return readImport(r.In)
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.File, term.Cause(err))
	}
	defer file.Close()
	return readImport(file)
}
