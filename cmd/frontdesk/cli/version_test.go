package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli"
)

func TestTheVersionNamesTheSchema(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if status := cli.Main(t.Context(), []string{"version", "--json"}, cli.Streams{Out: &out, Err: &out}); status != 0 {
		t.Fatal(out.String())
	}
	var said app.Version
	want, err := postgres.SchemaVersion()
	if json.Unmarshal([]byte(out.String()), &said) != nil || err != nil || said.Schema != want || want < 1 || said.Go == "" {
		t.Errorf("it says %s, %v", out.String(), err)
	}
}
