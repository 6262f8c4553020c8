// Package cli is the command line of frontdesk: verbs that run the service (serve, migrate,
// sign), and nouns with their verbs (practice list, staff invite, audit verify). Each intent
// that an operator may give the desk is a verb.
//
// The table in cli.go lists the nouns, and makes help, completion and the page of commands
// (D137). The packages practice, audit, integrate and service hold the verbs, and import none
// of each other. Package term holds the code that they share. A verb is a struct of flags with a Run
// method. A verb that gives the desk an intent embeds [term.EngineFlags], and its Run is one
// call of [term.Change] or [term.Create]. It is in the file of its noun;
// lists are in list_registers.go and list_people.go of package practice.
//
// Exit status: 0 done; 1 refused or failed, with one line on standard error
// that names the cause and the fix; 2 wrong usage; 3 a difference that was found, if a flag
// asks for that.
package cli
