// Command frontdesk is a practice-management service for medical practices. `frontdesk
// --help` lists its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // opening hours need time zones even if the system has none

	"frontdesk/cmd/frontdesk/cli"
)

func main() {
	collectSeldom(os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Main(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}
