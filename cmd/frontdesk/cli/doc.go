// Package cli is the command line of frontdesk: the program's parts (sandbox,
// serve, migrate, audit, token) and one subcommand for every command of the
// engine.
//
// cli.go lists them all. A subcommand is a struct of flags with a Run method;
// those of the engine embed [engineFlags] and are one translation each.
//
// Exit status: 0 done; 1 refused or failed, with one line on standard error
// that says why and what to do; 2 wrong usage.
package cli
