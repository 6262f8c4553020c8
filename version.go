// Package frontdesk holds the version of the project, which its program and its packages share.
package frontdesk

import (
	_ "embed" // the version
	"strings"
)

//go:embed VERSION
var version string

// Version returns the version, such as 0.1.0.
func Version() string { return strings.TrimSpace(version) }
