package app_test

import (
	"crypto/rand"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/proof"
)

// prove runs the queries for proofs of a practice's logs.
func (l *lively) prove(engine *app.Engine) {
	l.t.Helper()
	ctx := l.t.Context()
	l.wait("events are proved", `SELECT count(*) FROM trees WHERE tenant = 'elm-street' AND kind = 1`)
	l.wait("calls are proved", `SELECT count(*) FROM trees WHERE tenant = 'elm-street' AND kind = 2`)
	for _, kind := range []proof.Kind{proof.Events, proof.Access} {
		of := proof.Tree{Tenant: "elm-street", Kind: kind}
		checkpoint := l.sign(engine, of)
		from, after, err := engine.Auditor.Beginning(ctx, of)
		l.must(err)
		var last auditing.ProvedLine
		for line, err := range engine.Auditor.ProvedLines(ctx, auditing.Proved{Of: of, Size: checkpoint.Size, From: from, After: after}) {
			l.must(err)
			last = line
		}
		_, _, err = engine.Auditor.Proof(ctx, of, last.Idx)
		l.must(err)
		_, err = engine.Auditor.Growth(ctx, of, checkpoint)
		l.must(err)
	}
	_, err := engine.Auditor.AccessRecord().Vanished(ctx)
	l.must(err)
	_, err = accesslog.Checkpoints{DB: postgres.On(engine.Auditor.Pool)}.Newest(ctx)
	l.must(err)
}

// sign publishes a checkpoint of a tree as it is.
func (l *lively) sign(engine *app.Engine, of proof.Tree) proof.Checkpoint {
	l.t.Helper()
	ctx, trees := l.t.Context(), proving.Trees{DB: engine.Auditor.Pool}
	private, _, err := note.GenerateKey(rand.Reader, "api.example")
	l.must(err)
	key, err := note.NewSigner(private)
	l.must(err)
	size, err := trees.Size(ctx, of)
	l.must(err)
	root, err := trees.Root(ctx, of, size)
	l.must(err)
	c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.New(), Epoch: 1}, Size: size, Root: root}
	signed, err := c.Sign(key)
	l.must(err)
	l.must(accesslog.Checkpoints{DB: postgres.On(engine.Auditor.Pool)}.Publish(ctx, []accesslog.Checkpoint{{Tree: of, Epoch: 1, Size: size, Note: string(signed)}}))
	return c
}
