//go:build prove

package features_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// TestProveFeaturesLeaveNothingPersonal runs all scenarios of the features on
// one cluster, and then searches it for every personal value in their encrypted events
// and calls. It ignores values that staff also have, and short ones, because a match
// would prove nothing.
func TestProveFeaturesLeaveNothingPersonal(t *testing.T) {
	files, err := filepath.Glob("*.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("feature files: %v, %v", files, err)
	}
	server := postgrestest.Cluster(t)
	databases := databasesOf(t, server, len(files))
	t.Run("story", func(t *testing.T) {
		for n, file := range files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				runFeature(t, file, databases[n])
			})
		}
	})
	all := newEntered()
	answers := 0 // to patients
	for n, db := range databases {
		k := &keeping{entered: newEntered(), world: &world{ctx: t.Context(), program: &program{t: t, World: &testworld.World{DB: db}}}}
		k.db, err = pgx.Connect(t.Context(), db.SuperuserURL)
		k.must(err)
		k.searchFor(testworld.MasterKey, files[n])
		for _, name := range k.words {
			if name == "request.Answered.Text" {
				answers++
			}
		}
		maps.Copy(all.words, k.words)
		maps.Copy(all.staff, k.staff)
		if n == len(databases)-1 { // the files are those of all stories
			k.entered = all
			k.searchFiles()
		}
		k.must(k.db.Close(context.WithoutCancel(t.Context())))
	}
	if answers == 0 {
		t.Error("no answer to a patient was searched for")
	}
}

// databasesOf are so many databases of a cluster.
func databasesOf(t *testing.T, server *embedded.Server, n int) (all []*postgrestest.Database) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres", embedded.Superuser))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for i := range n {
		name := fmt.Sprintf("story_%d", i)
		if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name+" OWNER "+embedded.Owner+" TEMPLATE frontdesk"); err != nil {
			t.Fatal(err)
		}
		all = append(all, &postgrestest.Database{
			URL: server.URL(name, postgres.AppRole), AdminURL: server.URL(name, embedded.Owner), SuperuserURL: server.URL(name, embedded.Superuser),
		})
	}
	return all
}

// searchFor searches the tables and a dump of a database for its encrypted values.
func (k *keeping) searchFor(master sealing.MasterKey, story string) {
	k.t.Helper()
	k.recall(master)
	k.t.Logf("%s: %d values", story, len(k.words))
	if len(k.words) > 0 { // some stories have no personal data
		provetest.Tried(k.t, len(k.words), "personal values")
	}
	for table, rows := range k.tables() {
		k.none("the table "+table, rows, k.words, mayHold[table])
	}
	k.none("a dump", k.dump(), k.words, "")
}

// searchFiles searches the files of the cluster for the same values.
func (k *keeping) searchFiles() {
	k.t.Helper()
	for text := range k.staff {
		delete(k.words, text)
	}
	k.none("a file of the cluster", k.files(), k.words, "Idempotency.Body") // of the answers
}

// recall enters the encrypted values of a database's events and calls.
func (k *keeping) recall(master sealing.MasterKey) {
	k.t.Helper()
	engine, err := app.Open(k.ctx, app.Config{DatabaseURL: k.DB.URL, MasterKeys: sealing.NewRing(master)})
	k.must(err)
	defer engine.Close()
	for e, err := range engine.Log.After(k.ctx, 0) {
		k.must(err)
		k.enter(reflect.ValueOf(e.Event), reflect.TypeOf(e.Event).String())
		if aboutItself(e.Event) {
			e.Metadata.Idempotency = event.Idempotency{}
		}
		k.enter(reflect.ValueOf(e.Metadata), "event.Metadata")
	}
	for call, err := range engine.Auditor.OpenedAccessRecord().Calls(k.ctx, accesslog.CallFilter{}) {
		k.must(err)
		k.enter(reflect.ValueOf(call), "access.Call")
	}
	for text := range k.staff {
		delete(k.words, text)
	}
}

// aboutItself reports whether an application caused an event by a call about itself.
// The body of such a call is no person's, and its digest is stored in clear.
func aboutItself(e event.Event) bool {
	switch e.(type) {
	case application.KeySetReread, application.WebhookTestRequested:
		return true
	}
	return false
}

// shortest is the length from which a value is not found by chance.
const shortest = 8

// enter keeps every personal text in a value.
func (k *keeping) enter(v reflect.Value, name string) {
	switch v.Kind() { //nolint:exhaustive // nothing else leads to a text
	case reflect.Pointer:
		if !v.IsNil() {
			k.enter(v.Elem(), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			k.enter(v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch {
			case !field.IsExported():
			case field.Tag.Get("personal") == "":
				k.enter(v.Field(i), name+"."+field.Name)
			case field.Tag.Get("personal") == "staff":
				k.staff[v.Field(i).String()] = name
			case v.Field(i).Len() >= shortest:
				k.words[v.Field(i).String()] = name + "." + field.Name
			}
		}
	}
}
