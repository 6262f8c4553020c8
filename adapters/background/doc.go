// Package background holds what work behind a process needs: to sleep until a
// context ends, and to wake all who wait for the same thing.
package background
