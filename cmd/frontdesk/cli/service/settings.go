package service

import (
	"io"

	"github.com/alecthomas/kong"
)

// configFlag is the flag of every command that runs for long, or that keeps house.
type configFlag struct {
	Config ConfigFile `placeholder:"FILE" help:"YAML file with flags by name, for all commands or below the name of one. Flags override environment variables, which override the config file."`
}

// ConfigFile is the name of a config file.
type ConfigFile string

// BeforeResolve reads the file, and lets kong ask it for the flags that are neither typed nor
// in the environment. Kong calls it for each command that has such a flag as soon as the
// environment names a file.
func (f ConfigFile) BeforeResolve(ctx *kong.Context, at *kong.Path, files SettingsFiles) error {
	if ctx.Selected() == nil {
		return nil
	}
	return files.Resolve(ctx, at, ctx.Selected().Name)
}

// servingFile is the name of a config file, for a command that asks a process of serve.
type servingFile string

// BeforeResolve reads the settings of serve from the file.
func (f servingFile) BeforeResolve(ctx *kong.Context, at *kong.Path, files SettingsFiles) error {
	return files.Resolve(ctx, at, "serve")
}

// SettingsFiles reads config files. To check a file takes the flags of all commands that
// read one, so the list of commands implements it, and kong hands it over.
type SettingsFiles interface {
	// Resolve has kong ask the file that a flag names for the settings of a command.
	Resolve(ctx *kong.Context, at *kong.Path, command string) error
	// Print lists the flags of the parsed command, their values and where each value is set.
	Print(w io.Writer, parsed *kong.Context, file ConfigFile) error
}
