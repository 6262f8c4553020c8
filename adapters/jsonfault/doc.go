// Package jsonfault says in words of our own why a text is not JSON: where, and what
// kind of mistake it is. It never repeats what the text holds, because that may be
// personal data.
package jsonfault
