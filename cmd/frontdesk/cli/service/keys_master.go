package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

// days is a number of days, such as 35d.
type days int

// UnmarshalText parses the number.
func (d *days) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(strings.TrimSuffix(string(text), "d"))
	if err != nil || n < 0 || n > 36500 || !strings.HasSuffix(string(text), "d") {
		return fmt.Errorf("%q is no number of days: write 35d", text)
	}
	*d = days(n)
	return nil
}

func (d days) duration() time.Duration { return time.Duration(d) * 24 * time.Hour }

// instant is a date, which means its beginning in UTC, or an instant of RFC 3339.
type instant struct{ time.Time }

// UnmarshalText parses the date or the instant.
func (i *instant) UnmarshalText(text []byte) (err error) {
	if i.Time, err = time.Parse(time.DateOnly, string(text)); err == nil {
		return nil
	}
	if i.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return fmt.Errorf("%q is no date: write 2026-01-31 or 2026-01-31T06:00:00Z", text)
	}
	return nil
}

// rotationFlags are the flags of commands about master keys, for the owner of the database.
type rotationFlags struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
}

// asOwner calls a function with the database and the ring of master keys.
func (f rotationFlags) asOwner(r *term.Run, do func(postgres.DB, *sealing.Ring) error) error {
	ring, err := f.Read(r)
	if err != nil {
		return err
	}
	return app.AsOwner(r.Context, app.Config{DatabaseURL: f.DatabaseURL, MasterKeys: ring}, func(db postgres.DB) error { return do(db, ring) })
}

type keysRotateMasterCmd struct {
	rotationFlags `embed:""`
	OlderThan     days          `default:"0d" placeholder:"DAYS" help:"Do nothing while the master key is younger. For a timer."`
	BackupsKept   days          `default:"35d" placeholder:"DAYS" help:"How long backups are kept."`
	Wait          time.Duration `default:"10m" help:"How long to wait for the processes that serve."`
	Check         bool          `help:"Show master keys, processes and the next step. Change nothing."`
	JSON          bool          `name:"json" help:"With --check, print JSON."`
}

// Why a rotation needs an operator.
var (
	errAddKey     = errors.New("the ring has no next master key, and a command prints it: add a line of `openssl rand -base64 32` to the command's output, and run this again")
	errRotateNext = errors.New("run frontdesk key rotate-master")
)

// Run rotates, or goes on where a rotation has stopped.
func (c *keysRotateMasterCmd) Run(r *term.Run) error {
	return c.asOwner(r, func(db postgres.DB, ring *sealing.Ring) error {
		rotation := keyring.MasterRotation{
			DB: db, Masters: ring, BackupsKept: c.BackupsKept.duration(), Wait: c.Wait, Tell: func(line string) { fmt.Fprintln(r.Err, line) },
		}
		keys, err := keyring.MasterKeys(r.Context, db)
		switch {
		case err != nil:
			return err
		case c.Check:
			return c.show(r, rotation, keys)
		case !c.due(keys):
			fmt.Fprintf(r.Out, "the master key is younger than %d days: nothing to do\n", c.OlderThan)
			return nil
		}
		return c.rotate(r, rotation)
	})
}

// due reports whether the key that wraps is old enough, or a rotation has not ended.
func (c *keysRotateMasterCmd) due(keys []keyring.MasterKey) bool {
	used := slices.DeleteFunc(slices.Clone(keys), func(k keyring.MasterKey) bool { return k.UnusedAt != nil })
	return len(used) != 1 || used[0].Age >= c.OlderThan.duration()
}

func (c *keysRotateMasterCmd) rotate(r *term.Run, rotation keyring.MasterRotation) error {
	if err := c.add(r, rotation); err != nil {
		return err
	}
	to, n, err := rotation.Run(r.Context)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%d keys were wrapped again, under master key %s\n", n, to)
	keys, err := keyring.MasterKeys(r.Context, rotation.DB)
	for _, k := range keys {
		if k.ReplacedAt != nil && rotation.Masters.Holds(k.ID) {
			fmt.Fprintf(r.Out, "master key %s wraps no key any longer; backups from before %s need it\n", k.ID, k.UnusedAt.UTC().Format(time.RFC3339))
		}
	}
	return err
}

// add adds a key to the file if the ring has no next one.
func (c *keysRotateMasterCmd) add(r *term.Run, rotation keyring.MasterRotation) error {
	_, _, err := rotation.Next(r.Context)
	switch {
	case !errors.Is(err, keyring.ErrNoNextKey):
		return err
	case c.MasterKeyFile == "":
		return errAddKey
	}
	next := sealing.NewMasterKey()
	ring := append([]sealing.MasterKey{next}, rotation.Masters.Keys()...)
	if err := sealing.WriteRing(c.MasterKeyFile, ring); err != nil {
		return fmt.Errorf("add a master key: %w; or add a line of `openssl rand -base64 32` to the file yourself, and run this again", err)
	}
	rotation.Masters.Replace(ring...)
	fmt.Fprintf(r.Out, "added master key %s to %s: copy the file to every machine that serves\n", next.ID(), c.MasterKeyFile)
	return nil
}

// checked is the JSON of a check.
type checked struct {
	Keys      []keyring.MasterKey `json:"keys"`
	Ring      []string            `json:"ring"`
	Processes []keyring.KeyHolder `json:"processes"`
	Next      string              `json:"next,omitempty"`  // the master key to which a rotation leads
	Begun     bool                `json:"begun,omitempty"` // the rotation has not ended
	Due       bool                `json:"due"`
}

// show prints the state, and returns an error that names the next step if there is one.
func (c *keysRotateMasterCmd) show(r *term.Run, rotation keyring.MasterRotation, keys []keyring.MasterKey) error {
	ring := rotation.Masters
	next, begun, err := rotation.Next(r.Context)
	if err != nil && !errors.Is(err, keyring.ErrNoNextKey) {
		return err
	}
	holders, err := keyring.KeyHolders(r.Context, rotation.DB)
	if err != nil {
		return err
	}
	due := c.due(keys)
	if c.OlderThan == 0 { // every key is older
		due = begun
	}
	if c.JSON {
		err = json.NewEncoder(r.Out).Encode(checked{keys, ring.IDs(), holders, next, begun, due})
	} else {
		err = printMasters(r, ring, keys, holders)
	}
	switch {
	case err != nil:
		return err
	case begun:
		return fmt.Errorf("the rotation to %s has not ended: %w", next, errRotateNext)
	case due:
		return fmt.Errorf("the master key is older than %d days: %w", c.OlderThan, errRotateNext)
	}
	for _, h := range holders {
		for _, id := range ring.IDs() {
			if !slices.Contains(h.Held, id) {
				return fmt.Errorf("process %s on %s does not hold master key %s: give it the same ring", h.Process, h.Host, id)
			}
		}
	}
	return nil
}

func printMasters(r *term.Run, ring *sealing.Ring, keys []keyring.MasterKey, holders []keyring.KeyHolder) error {
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "MASTER KEY\tSTATE\tKEYS\tIN THE RING")
	for _, k := range keys {
		if err := term.Row(table, k.ID, stateOf(k), k.Keys, yesNo(ring.Holds(k.ID))); err != nil {
			return err
		}
	}
	for _, id := range ring.IDs() {
		if !slices.ContainsFunc(keys, func(k keyring.MasterKey) bool { return k.ID == id }) {
			if err := term.Row(table, id, "next", 0, "yes"); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(table, "\nPROCESS\tHOST\tSEEN\tHOLDS")
	for _, h := range holders {
		if err := term.Row(table, h.Process, h.Host, h.SeenAt.UTC().Format(time.RFC3339), strings.Join(h.Held, ", ")); err != nil {
			return err
		}
	}
	return table.Flush()
}

func stateOf(k keyring.MasterKey) string {
	on := func(at *time.Time) string { return at.UTC().Format(time.RFC3339) }
	switch {
	case k.DestroyedAt != nil:
		return "destroyed, as recorded at " + on(k.DestroyedAt)
	case k.UnusedAt != nil:
		return "unused since " + on(k.UnusedAt)
	case k.ReplacedAt != nil:
		return "replaced at " + on(k.ReplacedAt)
	}
	return "wraps since " + k.Since.UTC().Format(time.RFC3339)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

type keysRetireMasterCmd struct {
	rotationFlags `embed:""`
	OldestBackup  instant `required:"" placeholder:"DATE" help:"When the oldest backup that you keep was begun."`
}

// Run removes keys from the file that neither the database nor a backup needs.
func (c *keysRetireMasterCmd) Run(r *term.Run) error {
	return c.asOwner(r, func(db postgres.DB, ring *sealing.Ring) error {
		keys, err := keyring.MasterKeys(r.Context, db)
		if err != nil {
			return err
		}
		return c.retire(r, ring, keys)
	})
}

func (c *keysRetireMasterCmd) retire(r *term.Run, ring *sealing.Ring, keys []keyring.MasterKey) error {
	var gone []string
	var reasons []error
	for _, k := range keys {
		if !ring.Holds(k.ID) || k.ReplacedAt == nil {
			continue
		}
		if err := k.MayLeave(c.OldestBackup.Time); err != nil {
			reasons = append(reasons, fmt.Errorf("master key %s stays: %w", k.ID, err))
			continue
		}
		gone = append(gone, k.ID)
	}
	switch {
	case len(gone) == 0 && len(reasons) > 0:
		return errors.Join(reasons...)
	case len(gone) == 0:
		fmt.Fprintln(r.Out, "the ring holds no replaced master key: nothing to do")
		return nil
	case c.MasterKeyFile == "":
		fmt.Fprintf(r.Out, "remove from the command's output: %s\n", strings.Join(gone, ", "))
		return nil
	}
	left := slices.DeleteFunc(ring.Keys(), func(k sealing.MasterKey) bool { return slices.Contains(gone, k.ID()) })
	if err := sealing.WriteRing(c.MasterKeyFile, left); err != nil {
		return err
	}
	for _, id := range gone {
		fmt.Fprintf(r.Out, "removed master key %s from %s: copy the file to every machine that serves, and destroy all other copies;\n"+
			"then run frontdesk key destroyed %s\n", id, c.MasterKeyFile, id)
	}
	return nil
}

type keysDestroyedCmd struct {
	term.DatabaseFlag `embed:""`
	ID                string `arg:"" name:"id" help:"The identifier of the master key."`
	Yes               bool   `env:"-" help:"Do not ask."`
}

// Run records that a master key is destroyed.
func (c *keysDestroyedCmd) Run(r *term.Run) error {
	if !c.Yes {
		follows := "Erasures of the time of master key " + c.ID + " are called final from now on. Backups that it encrypts can never be read again."
		if err := r.Confirm(follows, "Is every copy of it destroyed?"); err != nil {
			return err
		}
	}
	err := app.AsOwner(r.Context, app.Config{DatabaseURL: c.DatabaseURL}, func(db postgres.DB) error {
		return keyring.MarkDestroyed(r.Context, db, c.ID, term.Machine())
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "master key %s is recorded as destroyed\n", c.ID)
	return nil
}
