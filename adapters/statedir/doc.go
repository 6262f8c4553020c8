// Package statedir stores a process's state in a directory of its own. A process that
// signs must know its last signed state after any crash.
package statedir
