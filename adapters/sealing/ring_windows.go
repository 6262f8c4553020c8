package sealing

import "io/fs"

// chown does nothing: root alone needs it.
func chown(string, fs.FileInfo) error { return nil }
