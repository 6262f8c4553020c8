//go:build prove

package patientindex_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections/patientindex"
	"frontdesk/projections/projectionstest"
)

// TestProveLargePracticeIsSearched_D161 searches a practice of 100,000 patients by name and by
// NHS number.
//
// A search is compared with its floor in the same run: one round trip to Postgres, and a scan
// of the bare names. The index is compared with the bytes of what it holds.
func TestProveLargePracticeIsSearched_D161(t *testing.T) { //nolint:paralleltest // it measures
	const patients, searches, shown = 100_000, 300, 20
	d := projectionstest.New(t)
	people := registered(t, d, patients)
	fresh := func() {
		d.FreshKeys(t)
		d.Store.Keys = d.Keys
	}
	fresh() // the keys that were cached are not the index
	index := &patientindex.Index{Names: d.Names(), Now: func() time.Time { return d.At }}

	before, load := heap(), clock.Start()
	if _, all, err := index.Find(t.Context(), elm, patientindex.Criteria{}, 1); err != nil || all != patients {
		t.Fatalf("%d of %d patients are loaded, error %v", all, patients, err)
	}
	loaded := load.Elapsed()
	withKeys := heap() - before
	fresh()
	index.Names = d.Names()
	held, bare := heap()-before, 0
	for _, p := range people {
		bare += len(patient.ID{}.UUID) + len(p.Name) + len(p.BirthDate) + len(p.NHSNumber)
	}
	t.Logf("%d patients: loaded in %s; the index holds %.1f MB, %d bytes each, %.1f times the bare %.1f MB; with cached keys %.1f MB",
		patients, loaded.Round(time.Millisecond), mb(held), held/patients, float64(held)/float64(bare), mb(bare), mb(withKeys))
	if held > 4*bare {
		t.Errorf("the index holds %d bytes, more than 4 times the bare %d", held, bare)
	}

	bareNames := make([]string, patients)
	for n, p := range people {
		bareNames[n] = strings.ToLower(p.Name)
	}
	find := func(c patientindex.Criteria, want string) {
		found, _, err := index.Find(t.Context(), elm, c, shown)
		projectionstest.Must(t, err)
		names, err := d.Names().Find(t.Context(), elm, found...)
		projectionstest.Must(t, err)
		if !slices.ContainsFunc(found, func(id patient.ID) bool { return strings.Contains(names[id].Name, want) }) {
			t.Fatalf("%v finds %v, want %s", c, names, want)
		}
	}
	took := map[string][]time.Duration{}
	measure := func(what string, do func()) {
		begun := clock.Start()
		do()
		took[what] = append(took[what], begun.Elapsed())
	}
	for n := range searches {
		sought := people[n*patients/searches]
		word := strings.Fields(sought.Name)[1]
		measure("floor", func() {
			var head int64
			projectionstest.Must(t, d.Pool.QueryRow(t.Context(), `SELECT head FROM sequencer`).Scan(&head))
			hits := 0
			for _, name := range bareNames {
				if strings.Contains(name, "0"+word) {
					hits++
				}
			}
			if hits > 0 {
				t.Fatal("the floor has found someone")
			}
		})
		measure("by name", func() { find(patientindex.Criteria{Name: word}, word) })
		measure("by number", func() { find(patientindex.Criteria{NHSNumber: sought.NHSNumber}, sought.Name) })
		projectionstest.Must(t, d.Append(t, patient.StreamOf(elm, ann), nextDetails(n)))
		d.Drain(t)
		measure("by number, after a change", func() { find(patientindex.Criteria{NHSNumber: sought.NHSNumber}, sought.Name) })
	}
	floor := quantile(took["floor"], 50)
	for what, most := range map[string]float64{"floor": 1, "by name": 40, "by number": 20, "by number, after a change": 40} {
		p50, p99 := quantile(took[what], 50), quantile(took[what], 99)
		ratio := float64(p50) / float64(floor)
		t.Logf("%-26s p50 %s, p99 %s, %.1f times the floor", what, p50.Round(10*time.Microsecond), p99.Round(10*time.Microsecond), ratio)
		if ratio > most {
			t.Errorf("a search %s takes %.1f times its floor, want at most %.0f", what, ratio, most)
		}
	}
	provetest.Tried(t, patients, "patients")
	provetest.Tried(t, 3*searches, "searches")
}

// registered registers people with different numbers, a hundred of each last name.
func registered(t *testing.T, d *projectionstest.Day, n int) (people []patientindex.Person) {
	t.Helper()
	first := []string{"Ann", "Bill", "Zoë", "Sean", "Margaret", "Mohammed", "Oluwaseun", "Siân", "Jean-Luc", "İpek"}
	var changes []event.Change
	for at := range n {
		p := patientindex.Person{
			Name: fmt.Sprintf("%s Family%04d", first[at%len(first)], at/100), NHSNumber: numberAt(at),
			BirthDate: time.Date(1930, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, at%34_000).Format(time.DateOnly),
		}
		people = append(people, p)
		id := patient.ID{UUID: event.NewID()}
		changes = append(changes, event.Change{Stream: patient.StreamOf(elm, id), Events: []event.Event{
			patient.Registered{Patient: id, Name: p.Name, BirthDate: p.BirthDate}, patient.ContactDetailsSet{Patient: id, NHSNumber: p.NHSNumber},
		}})
		if len(changes) == 250 || at == n-1 {
			_, err := d.Store.Append(t.Context(), changes...)
			projectionstest.Must(t, err)
			changes = changes[:0]
		}
	}
	d.Drain(t)
	return people
}

// numberAt returns a valid NHS number, another for each position.
func numberAt(at int) string {
	for digits := 400_000_000 + 7*at; ; digits++ {
		for check := range 10 {
			if number, ok := patient.ParseNHSNumber(fmt.Sprintf("%d%d", digits, check)); ok {
				return number
			}
		}
	}
}

// nextDetails are of one patient, who changes with each search.
func nextDetails(n int) event.Event {
	if n == 0 {
		return patient.Registered{Patient: ann, Name: "Ann Archer"}
	}
	return patient.DetailsChanged{Patient: ann, Name: fmt.Sprintf("Ann Archer %d", n)}
}

// heap is the bytes of live objects.
func heap() int {
	for range 2 { // objects with finalizers take two
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

func mb(bytes int) float64 { return float64(bytes) / 1e6 }

// quantile returns the q-th percentile.
func quantile(took []time.Duration, q int) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[(len(sorted)-1)*q/100]
}
