// Package operate holds the files of the operators' pages that the program uses itself.
package operate

import _ "embed" // for the file

// Roles is the SQL that makes the roles of the service. A superuser runs it once for a cluster.
//
//go:embed roles.sql
var Roles string
