// Package statedir keeps what a process must not forget in a directory of its own: a
// process that signs what it has seen has to know, after any crash, what that was.
package statedir
