//go:build prove

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"

	"frontdesk/adapters/sealing"
)

var processDrills = []drill{
	{
		name: "a process starts with a wrong master key", fires: []string{"ProcessDown"},
		wrong: func(d *drilled) {
			other := sealing.MasterKey{2}
			writeFile(d.t, d.serve[1].key, base64.StdEncoding.EncodeToString(other[:]))
			d.restarts(d.serve[1])
		},
		right: func(d *drilled) { d.keeps(d.serve[1]) },
	},
	{
		name: "a process starts without its master key", fires: []string{"ProcessDown"},
		wrong: func(d *drilled) { d.must(os.Remove(d.serve[1].key)); d.restarts(d.serve[1]) },
		right: func(d *drilled) { d.keeps(d.serve[1]) },
	},
	{
		name: "the master key comes late, after all processes have started", fires: []string{"NoProcessServes", "ProcessDown"},
		wrong: func(d *drilled) {
			for _, s := range d.serve {
				d.must(os.Remove(s.key))
				d.restarts(s)
			}
		},
		right: func(d *drilled) { d.keeps(d.serve[0]); d.keeps(d.serve[1]) },
	},
	{
		name: "the clock of a process is a minute ahead", fires: []string{"ClockIsOff"},
		wrong: func(d *drilled) {
			ahead := d.aMinuteAhead()
			d.serve[1].kill()
			d.serve[1].start(ahead)
		},
		right: func(d *drilled) { d.restarts(d.serve[1]) },
	},
	{
		name: "the disk of the processes' logs is full", fires: []string{"DiskIsFull"}, small: "log", goesOn: true,
		wrong: func(d *drilled) { fill(d.t, filepath.Join(d.small, "ballast")) },
		right: func(d *drilled) { d.must(os.Remove(filepath.Join(d.small, "ballast"))) },
	},
}

func (d *drilled) restarts(s *service) { s.kill(); s.start(d.program) }

// aMinuteAhead is the program on a machine whose clock is wrong.
func (d *drilled) aMinuteAhead() string {
	d.t.Helper()
	clock := abs(d.t, "../../adapters/clock/clock.go")
	source, err := os.ReadFile(clock)
	d.must(err)
	wrong, overlay, program := filepath.Join(d.dir, "clock.go"), filepath.Join(d.dir, "overlay.json"), filepath.Join(d.dir, "ahead")
	writeFile(d.t, wrong, replaced(d.t, string(source), "func System() time.Time { return time.Now() }", "func System() time.Time { return time.Now().Add(time.Minute) }"))
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {clock: wrong}})
	d.must(err)
	writeFile(d.t, overlay, string(replace))
	build := exec.CommandContext(d.t.Context(), "go", "build", "-overlay", overlay, "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		d.t.Fatalf("build: %v: %s", err, said)
	}
	return program
}
