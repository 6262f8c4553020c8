package patientindex_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections/patientindex"
	"frontdesk/projections/projectionstest"
)

const elm, oak = projectionstest.Elm, projectionstest.Oak

var ann, bill = projectionstest.Ann, projectionstest.Bill

// indexOf is a practice whose patients have these names, and an index of them.
func indexOf(t testing.TB, d *projectionstest.Day, names ...string) *patientindex.Index {
	t.Helper()
	for page := 0; page < len(names); page += 250 {
		var changes []event.Change
		for _, name := range names[page:min(page+250, len(names))] {
			id := patient.ID{UUID: uuid.New()}
			changes = append(changes, event.Change{Stream: patient.StreamOf(elm, id), Events: []event.Event{patient.Registered{Patient: id, Name: name}}})
		}
		if _, err := d.Store.Append(t.Context(), changes...); err != nil {
			t.Fatal(err)
		}
	}
	d.Drain(t)
	return &patientindex.Index{Names: d.Names(), Now: func() time.Time { return d.At }}
}

func wantFound(t *testing.T, b *patientindex.Index, tenant, text string, want ...string) {
	t.Helper()
	found, more, err := b.Search(t.Context(), tenant, text, 3)
	var names []string
	for _, f := range found {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, ", "); err != nil || more || got != strings.Join(want, ", ") {
		t.Errorf("%q at %s finds %s (more: %t), error %v; want %s", text, tenant, got, more, err, want)
	}
}

func TestSearchByPartOfName_D68(t *testing.T) {
	t.Parallel()
	b := indexOf(t, projectionstest.New(t), "Zoë Müller-Søndergård", "Sean O’Brien", "Ann Archer", "ann marie archer", "İpek Straße")
	for text, want := range map[string][]string{
		"zoe": {"Zoë Müller-Søndergård"}, "MULLER-SONDERGARD": {"Zoë Müller-Søndergård"}, "ndergå": {"Zoë Müller-Søndergård"},
		"o'brien": {"Sean O’Brien"}, "archer  ANN": {"Ann Archer", "ann marie archer"}, "rche": {"Ann Archer", "ann marie archer"},
		"ipek strasse": {"İpek Straße"}, "archer zoe": nil, "x": nil,
	} {
		wantFound(t, b, elm, text, want...)
		wantFound(t, b, oak, text)
	}
	if found, more, err := b.Search(t.Context(), elm, "e", 2); len(found) != 2 || !more || err != nil {
		t.Errorf("found %v, more %t, error %v", found, more, err)
	}
}

func TestFindByNameAndBirthDate_D85(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Zoë Müller-Søndergård", "Sean O’Brien", "Ann Archer", "Joanna Archer")
	d.Happens(t, patient.StreamOf(elm, ann), patient.Registered{Patient: ann, Name: "Ann Barker", BirthDate: "1980-02-29"})
	d.Happens(t, patient.StreamOf(elm, bill), patient.Registered{Patient: bill, Name: "Bill Barker", BirthDate: "1981-02-28"})
	d.Drain(t)
	for _, c := range []struct {
		wanted patientindex.Criteria
		found  string // the first three
		all    int
	}{
		{patientindex.Criteria{Name: "AN"}, "Ann Archer, Ann Barker", 2},
		{patientindex.Criteria{Name: "arch ann"}, "Ann Archer", 1},
		{patientindex.Criteria{Name: "brien"}, "Sean O’Brien", 1},
		{patientindex.Criteria{Name: "o'b"}, "Sean O’Brien", 1},
		{patientindex.Criteria{Name: "muller-s"}, "Zoë Müller-Søndergård", 1},
		{patientindex.Criteria{Name: "ller"}, "", 0},
		{patientindex.Criteria{Name: "Archer, Ann"}, "Ann Archer", 1},
		{patientindex.Criteria{Name: "OBrien"}, "Sean O’Brien", 1},
		{patientindex.Criteria{Name: "sondergard Zoe."}, "Zoë Müller-Søndergård", 1},
		{patientindex.Criteria{Name: "arker", BirthDate: "1980-02-29"}, "", 0},
		{patientindex.Criteria{Name: "barker", BirthDate: "1980-02-29"}, "Ann Barker", 1},
		{patientindex.Criteria{BirthDate: "1981-02-28"}, "Bill Barker", 1},
		{patientindex.Criteria{}, "Ann Archer, Ann Barker, Bill Barker", 6},
	} {
		ids, all, err := b.Find(t.Context(), elm, c.wanted, 3)
		names, _ := d.Names().Find(t.Context(), elm, ids...)
		var found []string
		for _, id := range ids {
			found = append(found, names[id].Name)
		}
		if got := strings.Join(found, ", "); got != c.found || all != c.all || err != nil {
			t.Errorf("%+v finds %s of %d, error %v", c.wanted, got, all, err)
		}
	}
	if ids, all, err := b.Find(t.Context(), oak, patientindex.Criteria{}, 3); len(ids)+all != 0 || err != nil {
		t.Errorf("at another practice: %v of %d, error %v", ids, all, err)
	}
	for asked, want := range map[[2]string]string{
		{"barker ANN", ""}:            "Ann Barker",
		{"Ann Barker", "1980-02-29"}:  "Ann Barker",
		{"Ann Barker", "1980-02-28"}:  "",
		{"Anna Barker", "1980-02-29"}: "Ann Barker",
		{"Anna Barker", ""}:           "",
		{"Ann Archer", "1980-02-29"}:  "Ann Archer, Ann Barker",
		{"Archer, Ann", ""}:           "Ann Archer",
		{"OBrien Sean", ""}:           "Sean O’Brien",
		{" ", "1980-02-29"}:           "",
	} {
		found, err := b.Alike(t.Context(), elm, asked[0], asked[1], 3)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, ", "); got != want || err != nil {
			t.Errorf("%v is like %s, error %v; want %s", asked, got, err, want)
		}
		many, err := b.Duplicates(t.Context(), elm, []patientindex.Person{{Name: "Nobody"}, {Name: asked[0], BirthDate: asked[1]}})
		if id, has := many[1]; err != nil || has != (want != "") || len(many) > 1 || has && !slices.ContainsFunc(found, func(m patientindex.Match) bool { return m.Patient == id.Patient }) {
			t.Errorf("%v is like %v among many, error %v; want %s", asked, many, err, want)
		}
	}
}

func TestIndexFollowsLog_D68(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Cid Cole")
	wantFound(t, b, elm, "cole", "Cid Cole")
	d.Happens(t, patient.StreamOf(elm, ann), patient.Registered{Patient: ann, Name: "Ann Archer"})
	d.Happens(t, patient.StreamOf(oak, ann), patient.Registered{Patient: ann, Name: "Ann Oakes"})
	d.Drain(t)
	wantFound(t, b, elm, "ann", "Ann Archer")
	d.Happens(t, patient.StreamOf(elm, ann), patient.DetailsChanged{Patient: ann, Name: "Ann Baker"})
	wantFound(t, b, elm, "archer") // whatever is cached
	d.Drain(t)
	wantFound(t, b, elm, "archer")
	wantFound(t, b, elm, "baker", "Ann Baker")
	d.Happens(t, patient.StreamOf(elm, ann), patient.RestrictionLifted{Patient: ann}) // in place of the erasure's event
	d.DestroyKey(t, ann)
	b.Names = d.Names()
	wantFound(t, b, elm, "baker")
	d.Drain(t)
	projectionstest.Must(t, b.Tidy(t.Context()))
	if kept := patientindex.Kept(b); kept != 1 {
		t.Errorf("%d names are kept, want Cid's alone", kept)
	}
}

const number, otherNumber = "9434765919", "9000000009"

// An NHS number is found as people write it. The index follows its changes, and forgets it with
// its patient.
func TestFindByNHSNumber_D161(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Cid Cole")
	set := func(about patient.ID, number string) {
		t.Helper()
		d.Happens(t, patient.StreamOf(elm, about), patient.ContactDetailsSet{Patient: about, NHSNumber: number})
		d.Drain(t)
	}
	want := func(text string, want ...patient.ID) {
		t.Helper()
		found, all, err := b.Find(t.Context(), elm, patientindex.Criteria{NHSNumber: text}, 3)
		if err != nil || all != len(want) || !slices.Equal(found, want) {
			t.Errorf("%q finds %v of %d, error %v; want %v", text, found, all, err, want)
		}
	}
	d.Happens(t, patient.StreamOf(elm, ann), patient.Registered{Patient: ann, Name: "Ann Archer"})
	d.Happens(t, patient.StreamOf(elm, bill), patient.Registered{Patient: bill, Name: "Bill Baker", BirthDate: "1980-02-29"})
	want(number)
	set(ann, number)
	want(number, ann)
	want("943 476 5919", ann)
	want("943-476-5919", ann)
	want("9434765918") // its check digit differs
	want("943476591")
	wantFound(t, b, elm, "943 476 5919", "Ann Archer")
	if found, _, err := b.Find(t.Context(), oak, patientindex.Criteria{NHSNumber: number}, 3); err != nil || len(found) > 0 {
		t.Errorf("another practice finds %v, error %v", found, err)
	}
	set(bill, number)
	want(number, ann, bill)
	if found, all, err := b.Find(t.Context(), elm, patientindex.Criteria{NHSNumber: number, BirthDate: "1980-02-29"}, 3); err != nil || all != 1 || found[0] != bill {
		t.Errorf("with a birth date: %v of %d, error %v", found, all, err)
	}
	set(ann, otherNumber)
	want(number, bill)
	want(otherNumber, ann)
	set(bill, "0000000000") // a placeholder
	set(ann, "0000000000")
	want("0000000000")
	set(ann, number)
	d.Happens(t, patient.StreamOf(elm, ann), patient.RestrictionLifted{Patient: ann}) // in place of the erasure's event
	d.DestroyKey(t, ann)
	b.Names = d.Names()
	d.Drain(t)
	want(number)
	projectionstest.Must(t, b.Tidy(t.Context()))
	if kept := patientindex.Kept(b); kept != 2 {
		t.Errorf("%d patients are kept, want Cid and Bill", kept)
	}
}

// Patients with one number are found for each other, and before those of a like name.
func TestSharedNumbersAreFound_D161(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Cid Cole")
	for id, name := range map[patient.ID]string{ann: "Ann Archer", bill: "Bill Baker"} {
		d.Happens(t, patient.StreamOf(elm, id), patient.Registered{Patient: id, Name: name}, patient.ContactDetailsSet{Patient: id, NHSNumber: number})
	}
	d.Drain(t)
	for _, c := range []struct {
		number string
		except patient.ID
		want   string
	}{
		{number, ann, "Bill Baker"},
		{"943 476 5919", bill, "Ann Archer"},
		{number, patient.ID{}, "Ann Archer, Bill Baker"},
		{otherNumber, ann, ""},
		{"", ann, ""},
	} {
		found, err := b.Sharing(t.Context(), elm, c.number, c.except, 3)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, ", "); got != c.want || err != nil {
			t.Errorf("%+v: %s, error %v", c, got, err)
		}
	}
	many, err := b.Duplicates(t.Context(), elm, []patientindex.Person{
		{Name: "Dee Drew"}, {Name: "Cid Cole", NHSNumber: "943 476 5919"}, {Name: "Cid Cole"}, {NHSNumber: number}, {Name: "Eve Elm", NHSNumber: otherNumber},
	})
	if err != nil || len(many) != 3 || !many[1].SameNumber || many[2].SameNumber || !many[3].SameNumber || many[1].Patient != ann && many[1].Patient != bill {
		t.Errorf("duplicates are %v, error %v", many, err)
	}
}

// A name of the greatest length is found, and a longer text is nobody's name.
func TestSearchRefusesLongText_D145(t *testing.T) {
	t.Parallel()
	longest := "Ann " + strings.Repeat("é", parse.MaxName-4)
	b := indexOf(t, projectionstest.New(t), longest)
	wantFound(t, b, elm, longest, longest)
	wantFound(t, b, elm, strings.Repeat("ann ", 51))
	for text, want := range map[string]int{longest: 1, strings.Repeat("ann ", 51): 0} {
		alike, err := b.Alike(t.Context(), elm, text, "", 3)
		found, all, other := b.Find(t.Context(), elm, patientindex.Criteria{Name: text}, 3)
		if err != nil || other != nil || len(alike) != want || len(found) != want || all != want {
			t.Errorf("%.20q: %d alike, %d of %d found, errors %v, %v", text, len(alike), len(found), all, err, other)
		}
	}
}

// A search compares no further names when its request has ended.
func TestSearchEndsWithRequest_D145(t *testing.T) {
	t.Parallel()
	names := make([]string, 3000)
	for n := range names {
		names[n] = fmt.Sprint("Patient ", n)
	}
	b := indexOf(t, projectionstest.New(t), names...)
	ctx, cancel := context.WithCancel(t.Context())
	compared := 0
	err := patientindex.Compare(ctx, b, elm, func() { compared++; cancel() })
	if !errors.Is(err, context.Canceled) || compared >= len(names)/2 {
		t.Errorf("%d names were compared, error %v", compared, err)
	}
}

func TestIndexIsBounded_D68(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Ann Archer", "Bill Baker")
	d.Happens(t, patient.StreamOf(oak, ann), patient.Registered{Patient: ann, Name: "Ann Oakes"})
	b.Most = 2
	wantFound(t, b, elm, "ann", "Ann Archer")
	wantFound(t, b, oak, "ann", "Ann Oakes")
	if kept := patientindex.Kept(b); kept != 1 {
		t.Errorf("%d names are kept", kept)
	}
	b.Most = 1
	if _, _, err := b.Find(t.Context(), elm, patientindex.Criteria{Name: "ann"}, 3); !errors.Is(err, patientindex.ErrFull) {
		t.Error("more names than there is room for were kept")
	}
	d.At = d.At.Add(14 * time.Minute)
	wantFound(t, b, oak, "ann", "Ann Oakes")
	d.At = d.At.Add(14 * time.Minute)
	projectionstest.Must(t, b.Tidy(t.Context()))
	if kept := patientindex.Kept(b); kept != 1 {
		t.Errorf("%d names are kept where somebody has just searched", kept)
	}
	d.At = d.At.Add(time.Minute)
	projectionstest.Must(t, b.Tidy(t.Context()))
	if kept := patientindex.Kept(b); kept != 0 {
		t.Errorf("%d names are cached without a search", kept)
	}
}

// BenchmarkIndex loads the names of a practice with 10,000 patients, and searches them.
//
//	ms/load    with a keyring that has cached no key
//	ms/search  with one that has cached them, 20 found
func BenchmarkIndex(b *testing.B) {
	d := projectionstest.New(b)
	names := make([]string, 10_000)
	for n := range names {
		names[n] = fmt.Sprintf("Zoë Patient-%05d Ångström", n)
	}
	indexOf(b, d, names...)
	var load, search time.Duration
	for b.Loop() {
		d.FreshKeys(b)
		index := &patientindex.Index{Names: d.Names(), Now: clock.System}
		for _, into := range []*time.Duration{&load, &search} {
			begun := clock.Start()
			found, _, err := index.Search(b.Context(), elm, "angstrom 99", 20)
			if err != nil || len(found) != 20 {
				b.Fatalf("found %d, error %v", len(found), err)
			}
			*into += begun.Elapsed()
		}
	}
	b.ReportMetric(load.Seconds()*1000/float64(b.N), "ms/load")
	b.ReportMetric(search.Seconds()*1000/float64(b.N), "ms/search")
}

// BenchmarkLongName reports the CPU time of each search of 10,000 patients for a name of
// 12,000 words, as a form can hold it (D145).
func BenchmarkLongName(b *testing.B) {
	names := make([]string, 10_000)
	for n := range names {
		names[n] = fmt.Sprintf("a Patient-%05d", n)
	}
	index := indexOf(b, projectionstest.New(b), names...)
	long := strings.Repeat("a ", 12_000)
	for name, search := range map[string]func(string) error{
		"alike": func(text string) error {
			_, err := index.Alike(b.Context(), elm, text, "", 10)
			return err
		},
		"find": func(text string) error {
			_, _, err := index.Find(b.Context(), elm, patientindex.Criteria{Name: text}, 10)
			return err
		},
		"search": func(text string) error {
			_, _, err := index.Search(b.Context(), elm, text, 10)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			if err := search("ann"); err != nil { // loads the names
				b.Fatal(err)
			}
			for b.Loop() {
				if err := search(long); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Patients who are registered or renamed between two searches are found in their order.
func TestChangedPatientsStayInOrder_D161(t *testing.T) {
	t.Parallel()
	d := projectionstest.New(t)
	b := indexOf(t, d, "Cid Cole", "Eve Elm")
	wantFound(t, b, elm, "e", "Cid Cole", "Eve Elm")
	d.Happens(t, patient.StreamOf(elm, ann), patient.Registered{Patient: ann, Name: "Dee Drew"})
	d.Happens(t, patient.StreamOf(elm, bill), patient.Registered{Patient: bill, Name: "Zed Lee"})
	d.Drain(t)
	b.Names = d.Names()
	found := func(want ...string) {
		t.Helper()
		ids, _, err := b.Find(t.Context(), elm, patientindex.Criteria{}, 9)
		projectionstest.Must(t, err)
		names, err := d.Names().Find(t.Context(), elm, ids...)
		projectionstest.Must(t, err)
		var got []string
		for _, id := range ids {
			got = append(got, names[id].Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	found("Cid Cole", "Dee Drew", "Eve Elm", "Zed Lee")
	d.Happens(t, patient.StreamOf(elm, bill), patient.DetailsChanged{Patient: bill, Name: "Abe Lee"})
	d.Drain(t)
	found("Abe Lee", "Cid Cole", "Dee Drew", "Eve Elm")
}
