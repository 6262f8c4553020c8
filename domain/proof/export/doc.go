// Package export holds the form of an export that can be proved, and checks such an export
// against checkpoints, without a database and without a network.
//
// An export has a line for each leaf of a tree, in the tree's order, so that nothing can be
// left out of it. A line shows an event ([EventLine]) or a line of the access record
// ([AccessLine]) as it is stored, or only the leaf's hash, for what the reader did not ask
// for. Its form is permanent.
//
// Rules
//  1. Lines are numbered from 0, without a gap, and the idx of those that are shown rises.
//  2. A line has its members in the order in which they are written here, none twice, and
//     no others, so that two readers cannot find different things in it.
//  3. A part of a line, such as an event's data, can be left out; its SHA-256 is there then,
//     under a name of its own, and the leaf can still be computed.
//  4. Whoever checks an export holds one line in memory, and the right edge of the tree.
package export
