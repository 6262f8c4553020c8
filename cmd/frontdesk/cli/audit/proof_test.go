package audit_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// proven is a clinic whose log is proved and signed, and an auditor who trusts one key and
// one witness.
type proven struct {
	*clitest.Clinic
	dir             string
	key, witnessKey string // verifier keys
	signer, witness note.Signer
	log             uuid.UUID
}

func newProven(t *testing.T) *proven {
	t.Helper()
	p := &proven{Clinic: clitest.NewClinic(t), dir: t.TempDir(), log: event.NewID()}
	private, public, err := note.GenerateKey(rand.Reader, "api.example")
	clitest.Must(t, err)
	p.key = public
	p.signer, err = note.NewSigner(private)
	clitest.Must(t, err)
	private, p.witnessKey, err = proof.GenerateWitnessKey(rand.Reader, "witness.example")
	clitest.Must(t, err)
	p.witness, err = proof.NewCosigner(private, func() time.Time { return time.Unix(1_800_000_000, 0) })
	clitest.Must(t, err)
	return p
}

// prove lets the prover come to the end of the log.
func (p *proven) prove(t *testing.T) {
	t.Helper()
	prover := proving.NewProver(p.DB.Pool(t), &background.Broadcast{}, slog.New(slog.DiscardHandler))
	for more := true; more; {
		var err error
		more, err = prover.Prove(t.Context())
		clitest.Must(t, err)
	}
}

// sign proves the log and publishes a checkpoint of one tree.
func (p *proven) sign(t *testing.T, of proof.Tree, day string) {
	t.Helper()
	p.prove(t)
	trees := proving.Trees{DB: p.DB.Pool(t)}
	size, err := trees.Size(t.Context(), of)
	clitest.Must(t, err)
	root, err := trees.Root(t.Context(), of, size)
	clitest.Must(t, err)
	c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: p.log, Epoch: 1}, Size: size, Root: root}
	signed, err := note.Sign(&note.Note{Text: c.String()}, p.signer, p.witness)
	clitest.Must(t, err)
	_, err = p.DB.AdminPool(t).Exec(t.Context(), `INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ($1, $2, 1, $3::text::date, $4, $5, now())`,
		of.Tenant, of.Kind, day, size, string(signed))
	clitest.Must(t, err)
}

// more has some notes written about Ann.
func (p *proven) more(t *testing.T) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: p.DB.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	ann, err := uuid.Parse(p.Ann)
	clitest.Must(t, err)
	ctx := event.WithMetadata(context.WithoutCancel(t.Context()), event.Metadata{Actor: event.Service("test")})
	for range 3 {
		_, err := engine.Desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: patient.ID{UUID: ann}, Text: "a cough"})
		clitest.Must(t, err)
	}
	clitest.Must(t, engine.Drain(ctx))
}

func (p *proven) file(name string) string { return filepath.Join(p.dir, name) }

func (p *proven) keep(t *testing.T, name, text string) string {
	t.Helper()
	clitest.Must(t, os.WriteFile(p.file(name), []byte(text), 0o600))
	return p.file(name)
}

// verify verifies a file, without a database.
func (p *proven) verify(t *testing.T, args ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, append([]string{"audit", "verify", "--key", p.key}, args...)...)
}

var elmEvents = proof.Tree{Tenant: "elm", Kind: proof.Events}

// otherPractice is its identifier as a word: its three letters stand in many a digest.
var otherPractice = regexp.MustCompile(`\boak\b`)

// With the salt, only the log of the practice counts.
func TestSaltNamesTheLog_D139(t *testing.T) {
	t.Parallel()
	p := newProven(t)
	salt, elm := proof.Salt{3}, proof.Tree{Tenant: "elm", Kind: proof.Events}
	p.log = salt.Log(elm)
	p.sign(t, elm, "2026-03-01")
	file := p.file("elm.ndjson")
	p.Audit(t, "export", "--tenant=elm", "--proof", "--out="+file).WantSuccess(t)
	verify := func(args ...string) clitest.Outcome {
		return p.verify(t, append([]string{"--in=" + file}, args...)...)
	}
	if said := verify().Out; !strings.Contains(said, "That this is the only log of its practice. Give the salt") {
		t.Errorf("without the salt it says %s", said)
	}
	if said := verify("--salt", salt.String()).Out; !strings.Contains(said, "It is the log of events of practice elm, and the salt allows no other one.") {
		t.Errorf("with the salt it says %s", said)
	}
	verify("--salt", proof.Salt{4}.String()).WantFailure(t, 1, "a second history was signed")
	verify("--salt", "abc").WantFailure(t, 1, "This is no salt of a service's logs")
	if said := p.Audit(t, "verify", "--key", p.key, "--salt", salt.String()).Out; !strings.Contains(said, "epoch: 1\n") || strings.Contains(said, "only one of its practice") {
		t.Errorf("of the database it says %s", said)
	}
}

// An auditor keeps a checkpoint, and later has it shown that the log goes on from it.
func TestLogIsVerifiedWithoutDatabase_D79(t *testing.T) {
	t.Parallel()
	p := newProven(t)
	p.sign(t, elmEvents, "2026-03-02")
	kept := p.keep(t, "kept.note", p.Audit(t, "checkpoint", "--tenant=elm").Out)
	p.more(t)
	p.sign(t, elmEvents, "2026-03-03")
	newest := p.keep(t, "newest.note", p.Audit(t, "checkpoint", "--tenant=elm").Out)
	var idx string
	for _, e := range clitest.Objects(t, p.Audit(t, "log", "--tenant=elm", "--json", "--event=staff.registered").Out) {
		idx = strconv.FormatFloat(e["idx"].(float64), 'f', 0, 64)
	}
	one := p.keep(t, "one.tlog-proof", p.Audit(t, "prove", "--tenant=elm", "--idx", idx).Out)
	grown := p.keep(t, "grown", p.Audit(t, "prove", "--tenant=elm", "--since", kept).Out)
	whole := p.file("elm.ndjson")
	p.Audit(t, "export", "--tenant=elm", "--proof", "--out", whole)
	notes := p.file("notes.ndjson")
	p.Audit(t, "export", "--tenant=elm", "--proof", "--event=care-record.note-created", "--without-sealed", "--out", notes)
	text := clitest.ReadFile(t, whole)
	if strings.Contains(text, "Archer") || otherPractice.MatchString(text) {
		t.Error("the export shows a name, or something of another practice")
	}
	witness := []string{"--witness-key", p.witnessKey, "--witnesses=1"}
	tlogProof, err := proof.ParseInclusion([]byte(clitest.ReadFile(t, one)))
	clitest.Must(t, err)
	tlogProof.Extra = append(tlogProof.Extra[:len(tlogProof.Extra)-1], `,"opened":"{\"name\":\"forged\"}"}`...)
	opened := p.keep(t, "opened.tlog-proof", string(tlogProof.Format()))
	_, absent, err := proof.GenerateWitnessKey(rand.Reader, "absent.example")
	clitest.Must(t, err)
	both := []string{"--witness-key", p.witnessKey, "--witness-key", absent}
	forged := p.keep(t, "forged.ndjson", strings.Replace(text, "staff.registered", "staff.deregistered", 1))
	for name, c := range map[string]struct {
		args []string
		want string // in the output, or in the error
		ok   bool
	}{
		"whole":              {append(witness, "--in", whole, "--since", kept), "cosigned by 1 of the 1 witnesses whose keys you gave: witness.example", true},
		"all witnesses":      {append(witness[:2:2], "--in", whole), "cosigned by 1 of the 1 witnesses", true},
		"not all of them":    {append(both, "--in", whole), "cosigned by 1 of the witnesses whose keys you gave, and 2 are needed", false},
		"one is enough":      {append(both, "--in", whole, "--witnesses=1"), "cosigned by 1 of the 2 witnesses", true},
		"none is needed":     {[]string{"--in", whole, "--witness-key", absent, "--witnesses=0"}, "That everyone sees the same history", true},
		"and the kept":       {[]string{"--in", whole, "--since", kept}, "extends kept.note, which covers 9 entries", true},
		"what a filter left": {[]string{"--in", notes, "--checkpoint", newest}, "of the other 8, the file has only the hashes", true},
		"what was left out":  {[]string{"--in", notes}, "The sealed bytes of 4 lines: they are left out", true},
		"one event":          {[]string{"--in", one}, "staff.registered.v1, of practice elm", true},
		"one with a rumour":  {[]string{"--in", opened}, "The values under \"opened\" in 1 lines: no checkpoint covers them", true},
		"growth":             {[]string{"--in", grown, "--since", kept}, "its 9 entries are the same, and 3 were added", true},
		"forged":             {[]string{"--in", forged, "--checkpoint", newest, "--since", kept}, "from number 0 to number 8 was changed", false},
		"rolled back":        {[]string{"--in", whole, "--checkpoint", kept, "--since", newest}, "what it covered was taken away", false},
		"another growth":     {[]string{"--in", grown, "--since", newest}, "extends a checkpoint of 9 entries", false},
		"no manifest":        {[]string{"--in", forged}, "no-checkpoint-given", false},
		"one and a kept":     {[]string{"--in", one, "--since", kept}, "since-without-use", false},
		"one and another":    {[]string{"--in", one, "--checkpoint", kept}, "checkpoint-inside", false},
	} {
		o := p.verify(t, c.args...)
		if (o.Status == 0) != c.ok || !strings.Contains(o.Out+o.Err, c.want) {
			t.Errorf("%s: status %d and\n%s%s, want %q", name, o.Status, o.Out, o.Err, c.want)
		}
	}
	p.refuses(t, kept, idx)
}

// refuses shows that changed proofs and exports are refused.
func (p *proven) refuses(t *testing.T, kept, idx string) {
	t.Helper()
	clitest.Frontdesk(t, "audit", "verify", "--in", kept).WantFailure(t, 1, "--key")
	at := "--database-url=" + p.Auditor
	for want, args := range map[string][]string{
		"--system":      {"checkpoint", "--tenant=elm", "--system"},
		"no-checkpoint": {"checkpoint", "--tenant=oak"},
		"unknown-idx":   {"prove", "--system", "--idx", idx},
		"what-to-prove": {"prove", "--tenant=elm"},
		"another-log":   {"prove", "--tenant=elm", "--since", p.keep(t, "other.note", otherLog(t, p, kept))},
		"proof-only":    {"export", "--tenant=elm", "--without-sealed", "--out", p.file("x")},
		"Name one log":  {"export", "--proof", "--out", p.file("x")},
	} {
		clitest.Frontdesk(t, append(append([]string{"audit"}, args...), at)...).WantFailure(t, 1, want)
	}
}

// otherLog is a checkpoint of another log.
func otherLog(t *testing.T, p *proven, kept string) string {
	t.Helper()
	return strings.Replace(clitest.ReadFile(t, kept), p.log.String(), event.NewID().String(), 1)
}
