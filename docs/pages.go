package docs

import (
	"embed"
	"regexp"
	"strings"
)

// Pages are the documents, with the files that they link to, by their paths below this folder.
//
//go:embed README.md decide.md glossary.md guarantees.md diagrams integrate operate practice privacy audit safety security explain contribute decisions errors
var Pages embed.FS

var notInFile = regexp.MustCompile(`[^a-z0-9]+`)

// DiagramFile returns the name of a diagram's picture in the folder diagrams, by its title.
func DiagramFile(title string) string {
	return strings.Trim(notInFile.ReplaceAllString(strings.ToLower(title), "-"), "-") + ".svg"
}
