// Package export holds the form of an export that can be proved, and checks such an
// export against checkpoints, without a database and without a network.
//
// An export has a line for each leaf of a tree, in the tree's order, so that an
// omission is detected. A line shows an event ([EventLine]) or a line of the access
// record ([AccessLine]) in its stored form, or only the leaf's hash, if the reader did
// not request it. Its form is permanent.
//
// Rules
//  1. Lines are numbered from 0, without a gap, and the idx of those that are shown
//     rises.
//  2. A line has its members in the order of this package, none twice, and no
//     others, so that two readers cannot find different values in it.
//  3. A part of a line, such as an event's data, can be left out; its SHA-256
//     replaces it, under a different name, and the leaf can still be computed.
//  4. A check of an export holds one line in memory, and the right edge of the tree.
package export
