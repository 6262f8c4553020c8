// Package jsonerr explains in words of our own why a text is not JSON: the place and
// the kind of the mistake. It never repeats the text, because that may be personal
// data.
package jsonerr
