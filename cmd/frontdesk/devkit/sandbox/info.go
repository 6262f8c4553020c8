package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/durable"
	"frontdesk/cmd/frontdesk/devkit/reference"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Info is the content of sandbox.json: everything that a client in any language
// needs.
type Info struct {
	APIURL           string      `json:"apiURL"`
	AuthURL          string      `json:"authURL"`
	PrivateURL       string      `json:"privateURL"`
	DocsURL          string      `json:"docsURL"` // the reference, to try calls in
	DatabaseURL      string      `json:"databaseURL"`
	AdminDatabaseURL string      `json:"adminDatabaseURL"`
	MasterKeyFile    string      `json:"masterKeyFile"` // for commands about persons
	TenantID         string      `json:"tenantId"`
	Application      Application `json:"application"`
	Staff            Staff       `json:"staff"`  // the user of the application
	People           []Staff     `json:"people"` // one of each role at least, the first of them Staff
	Patients         []Patient   `json:"patients"`
	Day
	WebhookReceiver WebhookReceiver `json:"webhookReceiver"`
	Causes          []Cause         `json:"causes"` // of each answer that a client should be tried with
}

// Application is the sandbox's application. It is enabled and has every grant.
type Application struct {
	ID             application.ID `json:"id"`
	KID            string         `json:"kid"`
	PrivateKeyFile string         `json:"privateKeyFile"`
	JWKSURL        string         `json:"jwksURL"`
	Callbacks      []string       `json:"callbacks"`
}

// Staff is a member of staff of the sandbox's practice.
type Staff struct {
	Username string     `json:"username"`
	Password string     `json:"password"`
	Name     string     `json:"name"`
	Email    string     `json:"email"`
	Role     staff.Role `json:"role"`

	OtherRole staff.Role `json:"otherRole,omitempty"` // "" for most
}

// Patient is a patient of the sandbox's practice.
type Patient struct {
	ID   patient.ID `json:"id"`
	Name string     `json:"name"`
}

// Day is where the sandbox's practice sees its patients, and which it expects.
type Day struct {
	Sites        []Site        `json:"sites"`
	Rooms        []Room        `json:"rooms"`
	Appointments []Appointment `json:"appointments"`
}

// Site is a site of the sandbox's practice.
type Site struct {
	ID   site.ID `json:"id"`
	Name string  `json:"name"`
}

// Room is a room of a site.
type Room struct {
	ID     site.RoomID `json:"id"`
	SiteID site.ID     `json:"siteId"`
	Name   string      `json:"name"`
}

// Appointment is an appointment of a patient at a site.
type Appointment struct {
	ID        appointment.ID `json:"id"`
	PatientID patient.ID     `json:"patientId"`
	SiteID    site.ID        `json:"siteId"`
	At        time.Time      `json:"at"`
}

// AuthoriseURL is where the sandbox application sends the browser of a member of
// staff, so that they let it act for them.
func (i Info) AuthoriseURL() string {
	query := url.Values{"app": {i.Application.ID.String()}, "redirect": {i.Application.Callbacks[0]}}
	return i.AuthURL + "/" + i.TenantID + "/staff/authorise?" + query.Encode()
}

// PagesURL is where staff use the practice's pages.
func (i Info) PagesURL() string { return i.AuthURL + "/" + i.TenantID + "/staff" }

// logins describes how each person signs in, a line each.
func (i Info) logins() string {
	var lines strings.Builder
	for _, p := range i.People {
		roles := string(p.Role)
		if p.OtherRole != "" {
			roles += ", " + string(p.OtherRole)
		}
		fmt.Fprintf(&lines, "  %-30s  %-14s  %s\n", roles, p.Username, p.Password)
	}
	return lines.String()
}

const infoName = "sandbox.json"

// InfoFile returns the file that describes a running sandbox.
func InfoFile(dir string) string { return filepath.Join(dir, infoName) }

// ReadInfo reads the info of the sandbox that runs in dir.
func ReadInfo(dir string) (Info, error) {
	var info Info
	err := readJSON(InfoFile(dir), &info)
	if errors.Is(err, fs.ErrNotExist) {
		return info, errAbsent(dir)
	}
	if err == nil && !filepath.IsAbs(info.Application.PrivateKeyFile) { // both files were fetched
		info.Application.PrivateKeyFile = filepath.Join(dir, info.Application.PrivateKeyFile)
	}
	return info, err
}

func errAbsent(dir string) error {
	return fmt.Errorf("no sandbox runs in %s: start one with \"frontdesk sandbox\", or name its directory with --dir", dir)
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

// writeJSON replaces a file as a whole, so that a reader sees the old or the
// new one.
func writeJSON(file string, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // for those who read it with grep
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	if err := durable.Replace(file, 0o600, text.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return nil
}

const welcomeText = `
frontdesk is ready.

  API        %[1]s/transactional-api/   (practice %[2]q)
  reference  %[16]s   (calls to try, events, errors)
  metrics    %[3]s/metrics
  clock      %[15]s
  everything else a client needs is in %[4]s

Make the first call from another terminal:

  curl -sS %[1]s/transactional-api/create-patient-request \
    -H "$(%[5]s token mint --dir %[6]s --curl)" -H 'Content-Type: application/json' \
    -d '{"patientId":"%[7]s","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough that will not go away"}]}'

Let the application act for a member of staff: open

  %[9]s

and sign in as %[10]s with the password %[11]s. Afterwards it calls in
their name and shows what it was answered.

Read that request as the practice's reception does: open

  %[13]s

and sign in as the receptionist. Everybody begins with the pages of their role:

%[14]s
Watch a webhook arrive, verified, a moment after a patient's record is opened:

  tail -n 0 -F %[12]s &
  %[5]s webhook trigger record.opened --dir %[6]s

Cause each refusal, and an answer that comes late:  %[5]s sandbox causes --dir %[6]s
Move its clock, or begin again from the seed:  %[5]s sandbox --help

See who did what:

  %[5]s audit log --database-url '%[8]s'

Ctrl-C stops all of it; the data stays in %[6]s.
`

// welcome prints what runs and how to make the first call. A token lives for 60 seconds, so
// the line that it shows mints one.
func welcome(w io.Writer, dir string, info Info, clock *clock) {
	self, err := os.Executable()
	if err != nil {
		self = "frontdesk"
	}
	fmt.Fprintf(w, welcomeText, info.APIURL, info.TenantID, info.PrivateURL, InfoFile(dir), self, dir,
		info.Patients[0].ID, info.DatabaseURL, info.AuthoriseURL(), info.Staff.Username, info.Staff.Password,
		info.WebhookReceiver.Log, info.PagesURL(), info.logins(), clock, info.DocsURL)
}

// showDocs lets the reference show this sandbox: its application, and people of its practice.
func (i *instance) showDocs(info Info) error {
	var users []string
	for _, person := range info.People {
		users = append(users, person.Username)
	}
	files, err := i.sharedFiles(info)
	if err != nil {
		return err
	}
	return i.docs.Show(reference.Sandbox{
		URL: info.APIURL, Users: users, IDs: info.Tryable(), Files: files,
		Mint: func(username string) (string, error) { return i.keys.mint(info, username) },
	})
}

// sharedFiles returns the files that a sandbox in a container serves to programs outside:
// sandbox.json, and the application's key next to it.
func (i *instance) sharedFiles(info Info) (map[string][]byte, error) {
	if !i.config.Container {
		return nil, nil
	}
	key, err := os.ReadFile(info.Application.PrivateKeyFile)
	if err != nil {
		return nil, fmt.Errorf("share the application's key: %w", err)
	}
	info.Application.PrivateKeyFile = keyName
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("share %s: %w", infoName, err)
	}
	return map[string][]byte{infoName: text, keyName: key}, nil
}

// Tryable are an appointment's patient, site and one of its rooms, so that every call
// fits to the others.
func (i Info) Tryable() reference.IDs {
	booked := i.Appointments[0]
	room := slices.IndexFunc(i.Rooms, func(r Room) bool { return r.SiteID == booked.SiteID })
	return reference.IDs{
		Patient: booked.PatientID.String(), Site: booked.SiteID.String(), Room: i.Rooms[max(room, 0)].ID.String(),
		Appointment: booked.ID.String(),
	}
}
