// Package cli is the command line of frontdesk: the parts of the program (sandbox,
// serve, migrate, keys, audit, token, webhook), and a subcommand for each intent
// that an operator may give the desk.
//
// cli.go lists them all. The packages practice, audit, integrate and service hold them,
// and import none of each other. Package term holds what they share. A subcommand is a
// struct of flags with a Run method. A subcommand that gives the desk an intent embeds
// [term.EngineFlags], and its Run is one call of [term.Change] or [term.Create]. It is in
// the file of the noun that it is about.
//
// Exit status: 0 done; 1 refused or failed, with one line on standard error
// that says why and what to do; 2 wrong usage.
package cli
