package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// exampleValues are the values of required flags and arguments in examples, by their names. A
// value for one command, or for one noun, has that before the name.
var exampleValues = map[string]string{
	"api-domain":      "api.example.org",
	"application":     "0190c7a2-0000-7000-8000-0000000000a1",
	"appointment":     "0190c7a2-0000-7000-8000-0000000000c1",
	"as-of":           "41250",
	"at":              "2026-03-02T09:30:00Z",
	"attachment":      "0190c7a2-0000-7000-8000-0000000000f1",
	"auth-url":        "https://auth.example.org",
	"basis":           "registered-in-error",
	"birth-date":      "1980-02-29",
	"callback":        "https://app.example.org/authorised",
	"cause":           "rate-limited",
	"command":         "-- ./send-a-request",
	"display":         "0190c7a2-0000-7000-8000-0000000000d1",
	"email":           "sam.taylor@elm.example",
	"endpoint":        "create-patient-request",
	"erasure":         "0190c7a2-0000-7000-8000-0000000000e1",
	"event":           "record.opened",
	"export":          "elm-street",
	"file":            "request.json",
	"from":            "/srv/backups",
	"hold":            "0190c7a2-0000-7000-8000-0000000000e2",
	"id":              "0190c7a2-0000-7000-8000-0000000000f1",
	"ids":             "ids.csv",
	"jwks":            "jwks.json",
	"jwks-url":        "https://app.example.org/jwks.json",
	"jwt":             "-",
	"key-file":        "/etc/frontdesk/witness.key",
	"listen":          "127.0.0.1:8080",
	"log-key":         "api.example.org+8a3c5f17+AQ==",
	"log-key-file":    "/etc/frontdesk/log.key",
	"mode":            "user-restricted",
	"name":            "'Sam Taylor'",
	"nhs-number":      "'943 476 5919'",
	"note":            "0190c7a2-0000-7000-8000-0000000000b1",
	"oldest-backup":   "2026-03-02",
	"out":             "elm-street",
	"outcome":         "no-action-needed",
	"path":            "%p",
	"patient":         "0190c7a2-0000-7000-8000-0000000000b0",
	"patient-request": "0190c7a2-0000-7000-8000-0000000000b2",
	"reason":          "'Sent twice'",
	"request-type":    "medical",
	"reset-id":        "0190c7a2-0000-7000-8000-0000000000b4",
	"role":            "manager",
	"room":            "0190c7a2-0000-7000-8000-0000000000d2",
	"site":            "0190c7a2-0000-7000-8000-0000000000d3",
	"staff-id":        "0190c7a2-0000-7000-8000-0000000000b5",
	"state":           "/var/lib/frontdesk",
	"team":            "0190c7a2-0000-7000-8000-0000000000d4",
	"telephone":       "'020 7946 0958'",
	"tenant":          "elm-street",
	"text":            "'We keep records for ten years.'",
	"to":              "/srv/backups",
	"token":           "-",
	"topic":           "retention-period",
	"until":           "2026-03-09",
	"url":             "https://app.example.org/webhooks",
	"username":        "sam.taylor",
	"way":             "slow",

	// of a noun
	"application name": "Referrals",
	"erasure reason":   "'Wrong practice'",
	"patient name":     "'Ann Archer'",
	"patient email":    "ann@example.org",
	"practice name":    "'Elm Street'",
	"request to":       "sam.taylor",
	"site name":        "'Main site'",
	"team name":        "Nurses",

	// of a command
	"apply file":                      "practices.yaml",
	"audit begin-epoch reason":        "'Restored the backup of Monday'",
	"backup archive-wal name":         "%f",
	"backup fetch-wal name":           "%f",
	"key destroyed id":                "4c1d8a90",
	"key make-log name":               "api.example.org",
	"key make-log out":                "log.key",
	"key make-witness name":           "witness.example.org",
	"key make-witness out":            "witness.key",
	"key show-salt file":              "log.key",
	"patient create-note file":        "note.txt",
	"patient import file":             "patients.csv",
	"practice set-note-template name": "'Sick note'",
	"request add-note file":           "note.txt",
	"request re-link from":            "0190c7a2-0000-7000-8000-0000000000b0",
	"request re-link to":              "0190c7a2-0000-7000-8000-0000000000b6",
	"request reopen reason":           "'The patient rang back'",
	"site add-display name":           "Hall",
	"site add-room name":              "'Room 2'",
	"site rename-room name":           "'Room 2'",
}

// exampleFlags are optional flags without which an example would mean something else.
var exampleFlags = map[string]string{
	"patient restrict-record":    "--username sam.taylor",
	"practice close":             "--until 2026-03-09T08:00:00Z",
	"practice set-note-template": "--text 'Bring this note to your employer.'",
	"request-type set-hours":     "--hours 'mon 08:00-12:30'",
	"staff invite":               "--role receptionist",
	"staff set-roles":            "--role manager",
	"team add":                   "--members sam.taylor",
	"team change":                "--members sam.taylor",
}

// exampleOf returns a command line with all that a command requires, except for the database,
// which the environment names. It is "" for a command that requires nothing, and for one whose
// own help has an example.
func exampleOf(command *kong.Node) string {
	words := []string{command.FullPath()}
	var chosen []string // the groups of flags of which one is given
	for _, flag := range command.Flags {
		if !flag.Required || flag.Name == "database-url" || slices.ContainsFunc(flag.Xor, func(group string) bool { return slices.Contains(chosen, group) }) {
			continue
		}
		chosen = append(chosen, flag.Xor...)
		words = append(words, "--"+flag.Name)
		if !flag.IsBool() {
			words = append(words, exampleValue(command, flag.Value))
		}
	}
	if more, ok := exampleFlags[command.Path()]; ok {
		words = append(words, more)
	}
	for _, argument := range command.Positional {
		if argument.Required {
			words = append(words, exampleValue(command, argument))
		}
	}
	if len(words) == 1 || strings.Contains(command.Detail, "Example: ") {
		return ""
	}
	return strings.Join(words, " ")
}

// exampleValue returns the value of a required flag or argument; "" if it has none.
func exampleValue(command *kong.Node, of *kong.Value) string {
	noun, _, _ := strings.Cut(command.Path(), " ")
	for _, before := range []string{command.Path() + " ", noun + " ", ""} {
		if value, ok := exampleValues[before+of.Name]; ok {
			return value
		}
	}
	return ""
}
