package docs

import "embed"

// Pages are the documents, with the files that they link to, by their paths below this folder.
//
//go:embed README.md decide.md glossary.md guarantees.md integrate operate practice privacy audit safety security explain contribute decisions errors
var Pages embed.FS
