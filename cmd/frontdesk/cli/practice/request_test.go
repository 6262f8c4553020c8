package practice_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// An answer to the patient is read from a file or from standard input. An empty file is no
// answer: the command refuses it, and completes nothing.
func TestAnswerIsReadFromAFile_D149(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	clitest.AsSandbox(t, c.DB)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.DB.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "answer.txt")
		clitest.Must(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	complete := func(in, answer string) clitest.Outcome {
		id, err := engine.Desk.SubmitPatientRequest(t.Context(), commands.SubmitPatientRequest{Tenant: "elm", Submission: request.Submission{
			Patient: patient.ID{UUID: uuid.MustParse(c.Ann)}, Application: application.ID{UUID: uuid.MustParse(c.App)}, Type: request.Admin,
			Requester: request.ByPatient, Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
		}})
		clitest.Must(t, err)
		return clitest.FrontdeskWith(t, in, "request", "complete", "--database-url", c.DB.URL, "--tenant=elm", "--patient-request", id.String(),
			"--username=dr.lee", "--outcome=replied", "--answer-file", answer)
	}
	complete("", file("It is ready.\nAsk for Kim.\n")).WantSuccess(t)
	complete("It is at reception.\n", "-").WantSuccess(t)
	complete("", file("")).WantFailure(t, 1, "invalid-text")
	complete("", filepath.Join(t.TempDir(), "none.txt")).WantFailure(t, 1, "read the answer", "none.txt")

	var answers []string
	completed := 0
	for e, err := range engine.Log.After(t.Context(), 0) {
		clitest.Must(t, err)
		switch e := e.Event.(type) {
		case request.Completed:
			completed++
		case request.Answered:
			answers = append(answers, e.Text)
		}
	}
	if len(answers) != 2 || answers[0] != "It is ready.\nAsk for Kim." || answers[1] != "It is at reception." || completed != 2 {
		t.Errorf("%d requests were completed with the answers %q", completed, answers)
	}
}

// A note goes along with a request that is taken or assigned.
func TestNoteGoesAlongByCommand_D156(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	clitest.AsSandbox(t, c.DB)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.DB.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	run := func(in, verb string, flags ...string) clitest.Outcome {
		id, err := engine.Desk.SubmitPatientRequest(t.Context(), commands.SubmitPatientRequest{Tenant: "elm", Submission: request.Submission{
			Patient: patient.ID{UUID: uuid.MustParse(c.Ann)}, Application: application.ID{UUID: uuid.MustParse(c.App)}, Type: request.Admin,
			Requester: request.ByPatient, Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
		}})
		clitest.Must(t, err)
		return clitest.FrontdeskWith(t, in, append([]string{"request", verb, "--database-url", c.DB.URL, "--tenant=elm", "--patient-request", id.String()}, flags...)...)
	}
	run("I shall look.\n", "take", "--username=dr.lee", "--note=-").WantSuccess(t)
	run("Please ring her.\n", "assign", "--to=dr.lee", "--note=-").WantSuccess(t)
	run("", "assign", "--to=dr.lee", "--note", filepath.Join(t.TempDir(), "none.txt")).WantFailure(t, 1, "read the note", "none.txt")
	var notes []string
	for e, err := range engine.Log.After(t.Context(), 0) {
		clitest.Must(t, err)
		if noted, is := e.Event.(request.Noted); is {
			notes = append(notes, noted.Text)
		}
	}
	if len(notes) != 2 || notes[0] != "I shall look." || notes[1] != "Please ring her." {
		t.Errorf("the notes are %q", notes)
	}
}
