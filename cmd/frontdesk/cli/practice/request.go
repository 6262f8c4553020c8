package practice

import (
	"cmp"
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// RequestCommands are the verbs of patient requests.
type RequestCommands struct {
	Submit             submitPatientRequestCmd             `cmd:"" sandboxonly:"" help:"Submit a patient request from a JSON file." detail:"It is submitted as an application would."`
	Take               takePatientRequestCmd               `cmd:"" sandboxonly:"" help:"Assign an unassigned request to its taker."`
	Assign             givePatientRequestCmd               `cmd:"" sandboxonly:"" help:"Assign a request to a member or team."`
	PutOff             putOffPatientRequestCmd             `cmd:"" sandboxonly:"" help:"Put a request off until a day." detail:"It is new again on that day."`
	AddNote            notePatientRequestCmd               `cmd:"" sandboxonly:"" help:"Add an internal note to a request."`
	ChangeUrgency      changePatientRequestUrgencyCmd      `cmd:"" sandboxonly:"" help:"Set whether a request is urgent."`
	Complete           completePatientRequestCmd           `cmd:"" sandboxonly:"" help:"Complete a request with an outcome."`
	Reopen             reopenPatientRequestCmd             `cmd:"" sandboxonly:"" help:"Reopen a completed request." detail:"A member of staff takes it."`
	ReLink             reLinkPatientRequestCmd             `cmd:"" help:"Move a request to the correct patient."`
	Open               openPatientRequestCmd               `cmd:"" sandboxonly:"" help:"Record that a request was opened."`
	OpenAttachment     openAttachmentCmd                   `cmd:"" sandboxonly:"" help:"Record that a request's attachment was opened."`
	MarkEnteredInError markPatientRequestEnteredInErrorCmd `cmd:"" help:"Mark a request as entered in error." detail:"It stays in the record."`
}

// requestFlags name a request of a practice.
type requestFlags struct {
	term.PracticeFlags `embed:""`
	PatientRequest     request.ID `required:"" placeholder:"UUID" help:"The patient request's identifier."`
}

// writingFlags name a request about which something is written.
type writingFlags struct {
	requestFlags        `embed:""`
	term.MasterKeyFlags `embed:""`
}

func (f writingFlags) Do(r *term.Run, config app.Config, tenant string, act func(context.Context, commands.Desk) (term.Made, error)) error {
	return term.SealingFlags{PracticeFlags: f.PracticeFlags, MasterKeyFlags: f.MasterKeyFlags}.Do(r, config, tenant, act)
}

// byFlag names the member of staff who has the request then.
type byFlag struct {
	Username string `required:"" help:"Username of the member of staff who takes, completes or reopens it."`
}

// noteFlag has a note that goes along.
type noteFlag struct {
	Note string `placeholder:"FILE" help:"A note to save with it, as a text file; - for standard input."`
}

// read returns the note; "" for none.
func (f noteFlag) read(r *term.Run) (string, error) {
	if f.Note == "" {
		return "", nil
	}
	return readText("note", f.Note, r.In)
}

type takePatientRequestCmd struct {
	writingFlags `embed:""`
	byFlag       `embed:""`
	noteFlag     `embed:""`
}

func (c *takePatientRequestCmd) Run(r *term.Run) error {
	note, err := c.read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		by, err := desk.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
		if err != nil {
			return nil, err
		}
		return nil, desk.TakePatientRequest(ctx, commands.TakePatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, By: by, Note: note})
	})
}

type givePatientRequestCmd struct {
	writingFlags `embed:""`
	noteFlag     `embed:""`
	From         string       `help:"Username that the request is assigned to now; without it and --from-team, the request is unassigned."`
	FromTeam     staff.TeamID `placeholder:"UUID" help:"Team that the request is assigned to now."`
	To           string       `required:"" xor:"to" help:"Username to assign the request to."`
	ToTeam       staff.TeamID `required:"" xor:"to" placeholder:"UUID" help:"Team to assign the request to."`
}

func (c *givePatientRequestCmd) Run(r *term.Run) error {
	note, err := c.read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		given := commands.GivePatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, Note: note}
		var err error
		given.From.Team, given.To.Team = c.FromTeam, c.ToTeam
		if c.To != "" {
			if given.To.Member, err = desk.Staff.StaffByUsername(ctx, c.Tenant, c.To); err != nil {
				return nil, err
			}
		}
		if given.From.Member, err = c.from(ctx, desk); err != nil {
			return nil, err
		}
		return nil, desk.GivePatientRequest(ctx, given)
	})
}

// from returns who has the request, who may have left the practice.
func (c *givePatientRequestCmd) from(ctx context.Context, desk commands.Desk) (staff.ID, error) {
	if c.From == "" {
		return staff.ID{}, nil
	}
	return desk.Staff.AnyStaffByUsername(ctx, c.Tenant, c.From)
}

type putOffPatientRequestCmd struct {
	writingFlags `embed:""`
	noteFlag     `embed:""`
	Username     string `required:"" help:"Username of the member of staff who puts it off."`
	Until        string `required:"" placeholder:"2026-05-03" help:"The day, at most a year from now."`
}

func (c *putOffPatientRequestCmd) Run(r *term.Run) error {
	note, err := c.read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		by, err := desk.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
		if err != nil {
			return nil, err
		}
		return nil, desk.PutOffPatientRequest(ctx, commands.PutOffPatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, By: by, Until: c.Until, Note: note})
	})
}

type changePatientRequestUrgencyCmd struct {
	requestFlags `embed:""`
	Urgent       bool `required:"" negatable:"" help:"Whether the request is urgent."`
}

func (c *changePatientRequestUrgencyCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.ChangePatientRequestUrgency,
		commands.ChangePatientRequestUrgency{Tenant: c.Tenant, Request: c.PatientRequest, Urgent: c.Urgent})
}

type notePatientRequestCmd struct {
	writingFlags `embed:""`
	File         string `required:"" help:"The note as a text file; - for standard input. Other users of this machine can see command lines."`
}

func (c *notePatientRequestCmd) Run(r *term.Run) error {
	text, err := readText("note", c.File, r.In)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, Text: text})
	})
}

type completePatientRequestCmd struct {
	writingFlags `embed:""`
	byFlag       `embed:""`
	Outcome      request.Outcome `required:"" help:"replied, appointment-booked, signposted or no-action-needed."`
	AnswerFile   string          `placeholder:"FILE" help:"The answer to the patient as a text file; - for standard input. The application that sent the request fetches it."`
}

func (c *completePatientRequestCmd) Run(r *term.Run) error {
	completion := request.Completion{Outcome: c.Outcome}
	if c.AnswerFile != "" {
		answer, err := readText("answer", c.AnswerFile, r.In)
		if err != nil {
			return err
		}
		completion.Answer = cmp.Or(answer, "\n") // an empty file is no answer, and not the wish for none
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		by, err := desk.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
		if err != nil {
			return nil, err
		}
		return nil, desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, By: by, Completion: completion})
	})
}

type reopenPatientRequestCmd struct {
	writingFlags `embed:""`
	byFlag       `embed:""`
	Reason       string `required:"" help:"Reason. Other users of this machine can see command lines: do not include names."`
}

func (c *reopenPatientRequestCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		by, err := desk.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
		if err != nil {
			return nil, err
		}
		return nil, desk.ReopenPatientRequest(ctx, commands.ReopenPatientRequest{Tenant: c.Tenant, Request: c.PatientRequest, By: by, Reason: c.Reason})
	})
}

type reLinkPatientRequestCmd struct {
	writingFlags `embed:""`
	From         patient.ID `required:"" placeholder:"UUID" help:"The patient to whom the request is linked."`
	To           patient.ID `required:"" placeholder:"UUID" help:"The correct patient."`
	Reason       string     `required:"" help:"Reason. Other users of this machine can see command lines: do not include names."`
}

func (c *reLinkPatientRequestCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{
			Tenant: c.Tenant, Request: c.PatientRequest, From: c.From, To: c.To, Reason: c.Reason,
		})
	})
}

type openPatientRequestCmd struct {
	requestFlags `embed:""`
}

func (c *openPatientRequestCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "patientId", commands.Desk.OpenPatientRequest, commands.OpenPatientRequest{Tenant: c.Tenant, Request: c.PatientRequest})
}

type openAttachmentCmd struct {
	requestFlags `embed:""`
	Attachment   request.AttachmentID `required:"" placeholder:"UUID" help:"The file's identifier."`
}

func (c *openAttachmentCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "patientId", commands.Desk.OpenAttachment,
		commands.OpenAttachment{Tenant: c.Tenant, Request: c.PatientRequest, Attachment: c.Attachment})
}
