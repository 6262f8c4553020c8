package embedded_test

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
)

// A private Postgres for one test, which trades durability for speed.
func ExampleStart() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server, err := embedded.Start(ctx, embedded.Config{Dir: dir, Volatile: true})
	if err != nil {
		fmt.Println(err) // one line with the fix
		return
	}
	defer func() {
		fmt.Println(server.Stop(ctx), embedded.Remove(ctx, dir))
	}()
	fmt.Println(useExample(ctx, server))
	// Output:
	// elm <nil>
	// <nil> <nil>
}

func useExample(ctx context.Context, server *embedded.Server) (name string, err error) {
	if err := server.EnsureDatabase(ctx, "elm"); err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, server.URL("elm", embedded.Superuser))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT current_database()`).Scan(&name)
	return name, err
}
