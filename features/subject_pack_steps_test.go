package features_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/cmd/frontdesk/cli"
)

// packSteps are about the subject access pack.
func (w *world) packSteps(sc *godog.ScenarioContext) {
	sc.Step(`^an auditor makes the pack of "([^"]*)"$`, w.makesPack)
	sc.Step(`^the auditor is refused with "([^"]*)"$`, func(code string) error { return w.operatorTold(1, "("+code+")") })
	sc.Step(`^the pack's page says "([^"]*)"$`, w.packSays)
	sc.Step(`^the pack's page says that "([^"]*)" was the caller who read the record$`, func(who string) error {
		return w.packSays(who + `</bdi></td><td role="cell" data-is="What">call: read the record`)
	})
	sc.Step(`^the pack holds the file that was sent$`, w.packHoldsFile)
	sc.Step(`^nothing in the pack says "([^"]*)"$`, w.packSilent)
}

// makesPack makes the pack once the access record has the calls.
func (w *world) makesPack(patient string) error {
	if _, err := w.recordedCalls(0); err != nil {
		return err
	}
	if err := w.Drain(w.ctx); err != nil {
		return err
	}
	file := filepath.Join(w.t.TempDir(), "pack.zip")
	args := []string{"audit", "subject-pack", "--database-url=" + w.auditor(), "--tenant=" + w.tenant(w.practice),
		"--patient=" + w.patients[patient].String(), "--out=" + file}
	var out, said bytes.Buffer
	w.exit = cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
	w.shown = out.String() + said.String()
	if w.exit != 0 {
		return nil
	}
	return w.unpack(file)
}

func (w *world) unpack(file string) error {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	w.pack = map[string]string{}
	for _, entry := range archive.File {
		content, err := entry.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		w.pack[entry.Name] = string(text)
	}
	return nil
}

func (w *world) packSays(text string) error {
	if page := w.pack["index.html"]; !strings.Contains(page, text) {
		return fmt.Errorf("the command says %q, the page %s", w.shown, page)
	}
	return nil
}

func (w *world) packHoldsFile() error {
	for name, content := range w.pack {
		if strings.HasPrefix(name, "attachments/") && content == string(w.files[0]) {
			return nil
		}
	}
	return errors.New("it is not there")
}

func (w *world) packSilent(text string) error {
	if len(w.pack) == 0 {
		return errors.New("there is no pack")
	}
	for name, content := range w.pack {
		if strings.Contains(content, w.filled(text)) {
			return fmt.Errorf("%s says it", name)
		}
	}
	return nil
}
