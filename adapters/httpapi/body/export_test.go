package body

import "io"

// For tests that look at the tree behind a form, or make a form of one.
var (
	ReadJSON = func(r io.Reader) (any, error) { return readJSON(r, Texts{}) }
	Tree     = (*Files).tree
)

// RequestOf is the form of a patient request for a tree.
func RequestOf(tree any) *Form { return formOf(tree, requestShape) }
