// Command site writes the documentation and the reference of the API into a folder, as pages that can be opened there or
// served from there by any web server:
//
//	go run ./.ci/site FOLDER
//
// It runs in the first folder of a clone.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"frontdesk/cmd/frontdesk/devkit/reference"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: site FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string, out io.Writer) error {
	if err := reference.Write(folder, os.DirFS(".")); err != nil {
		return err
	}
	first, err := filepath.Abs(filepath.Join(folder, "index.html"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Open file://%s in a browser, or serve %s from any host.\n", first, folder)
	return err
}
