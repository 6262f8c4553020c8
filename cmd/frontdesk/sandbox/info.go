package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// Info is sandbox.json: everything that a client in any language needs.
type Info struct {
	APIURL           string      `json:"apiURL"`
	AuthURL          string      `json:"authURL"`
	PrivateURL       string      `json:"privateURL"`
	DatabaseURL      string      `json:"databaseURL"`
	AdminDatabaseURL string      `json:"adminDatabaseURL"`
	TenantID         string      `json:"tenantId"`
	Application      Application `json:"application"`
	Staff            Staff       `json:"staff"`
	Patients         []Patient   `json:"patients"`
	Day
	WebhookReceiver WebhookReceiver `json:"webhookReceiver"`
}

// Application is the sandbox's application: enabled, with every grant.
type Application struct {
	ID             application.ID `json:"id"`
	KID            string         `json:"kid"`
	PrivateKeyFile string         `json:"privateKeyFile"`
	JWKSURL        string         `json:"jwksURL"`
	Callbacks      []string       `json:"callbacks"`
}

// Staff is a member of staff of the sandbox's practice.
type Staff struct {
	Username string `json:"username"`
	Password string `json:"password"`
	Name     string `json:"name"`
	Email    string `json:"email"`
}

// Patient is a patient of the sandbox's practice.
type Patient struct {
	ID   patient.ID `json:"id"`
	Name string     `json:"name"`
}

func infoFile(dir string) string { return filepath.Join(dir, "sandbox.json") }

// ReadInfo is the info of the sandbox that runs in dir.
func ReadInfo(dir string) (Info, error) {
	var info Info
	err := readJSON(infoFile(dir), &info)
	if errors.Is(err, fs.ErrNotExist) {
		return info, fmt.Errorf("no sandbox runs in %s: start one with \"frontdesk sandbox\", or name its directory with --dir", dir)
	}
	return info, err
}

func readJSON(file string, target any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	if err := json.Unmarshal(data, target); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	return nil
}

// writeJSON replaces a file as a whole: who reads it sees the old or the new.
func writeJSON(file string, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // for those who read it with grep
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	if err := os.WriteFile(file+".new", text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return os.Rename(file+".new", file)
}
