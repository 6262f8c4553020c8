package apply

import (
	"frontdesk/domain/application"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// The kinds of documents.
const (
	KindPractice    = "practice"
	KindApplication = "application"
)

// Practice declares a practice. The names and forms of these fields are a promise to authors
// of files; docs/operate/apply.schema.json describes them. A nil pointer means that the
// document leaves the field unchanged.
type Practice struct {
	Kind         string        `yaml:"kind"`
	Tenant       string        `yaml:"tenant"`
	Name         string        `yaml:"name"`     // needed for a new one; it cannot be changed
	TimeZone     string        `yaml:"timeZone"` // IANA; it cannot be changed either
	Applications []Enablement  `yaml:"applications"`
	RequestTypes []RequestType `yaml:"requestTypes"`
	Closures     []Closure     `yaml:"closures"`
	Sites        []Site        `yaml:"sites"`
	PasskeyRoles *[]staff.Role `yaml:"passkeyRoles"` // those that need a passkey; an empty list is none
	Staff        []Member      `yaml:"staff"`
}

// Enablement declares whether an application may call for the practice.
type Enablement struct {
	Application string `yaml:"application"` // UUID
	Enabled     *bool  `yaml:"enabled"`     // nil is true
}

// RequestType declares when requests of a type are taken.
type RequestType struct {
	Type        request.Type `yaml:"type"`
	SwitchedOff *bool        `yaml:"switchedOff"`
	Hours       *[]string    `yaml:"hours"` // like "mon 08:00-12:30"; an empty list is all hours
}

// Closure declares that the practice takes no requests for a time.
type Closure struct {
	From   string `yaml:"from"`   // RFC 3339
	Until  string `yaml:"until"`  // exclusive
	Remove bool   `yaml:"remove"` // it is not wanted, as far as it lies ahead
}

// Site declares a place where patients are seen. It is matched by its name, or else by its
// identifier, and is renamed to this name.
type Site struct {
	Site  string `yaml:"site"` // UUID
	Name  string `yaml:"name"`
	Rooms []Room `yaml:"rooms"`
}

// Room declares a room of a site, in the same way.
type Room struct {
	Room string `yaml:"room"` // UUID
	Name string `yaml:"name"`
}

// Member declares a member of staff.
type Member struct {
	Username string        `yaml:"username"`
	Name     string        `yaml:"name"` // needed for a new one; it cannot be changed
	Email    string        `yaml:"email"`
	Roles    *[]staff.Role `yaml:"roles"`
	Active   *bool         `yaml:"active"` // nil leaves former members as they are
}

// Application declares an application, once for all practices.
type Application struct {
	Kind          string     `yaml:"kind"`
	Application   string     `yaml:"application"` // UUID: the iss of its tokens
	Name          string     `yaml:"name"`        // needed for a new one; it cannot be changed
	JWKSURL       string     `yaml:"jwksUrl"`     // needed for a new one
	PatientScoped *bool      `yaml:"patientScoped"`
	Callbacks     []Callback `yaml:"callbacks"`
	Grants        []Grant    `yaml:"grants"`
	Webhooks      []Webhook  `yaml:"webhooks"`
}

// Callback declares an address that staff may be sent to after approval.
type Callback struct {
	URL    string `yaml:"url"`
	Remove bool   `yaml:"remove"`
}

// Grant declares that the application may call an endpoint in a mode.
type Grant struct {
	Endpoint application.EndpointName `yaml:"endpoint"`
	Mode     application.Mode         `yaml:"mode"`
	Remove   bool                     `yaml:"remove"`
}

// Webhook declares the URL that receives the application's events of one kind.
type Webhook struct {
	Event  application.WebhookEvent `yaml:"event"`
	URL    string                   `yaml:"url"`
	Remove bool                     `yaml:"remove"`
}
