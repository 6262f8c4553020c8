package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// completionCmd prints a script that makes a shell complete command lines. The shell then
// asks the program itself for the next words, so that the two always agree.
type completionCmd struct {
	Bash  bashCmd  `cmd:"" help:"Print the script for bash." detail:"Load it with: source <(frontdesk completion bash)"`
	Zsh   zshCmd   `cmd:"" help:"Print the script for zsh." detail:"Load it with: source <(frontdesk completion zsh)"`
	Fish  fishCmd  `cmd:"" help:"Print the script for fish." detail:"Load it with: frontdesk completion fish | source"`
	Words wordsCmd `cmd:"" hidden:"" help:"List the words that may come next." detail:"A line each: the word, a tab, and its meaning."`
}

type (
	bashCmd struct{}
	zshCmd  struct{}
	fishCmd struct{}
)

// Run prints a function that bash calls. A shell without suggestions offers files.
func (bashCmd) Run(r *term.Run) error {
	_, err := io.WriteString(r.Out, `_frontdesk() {
    local IFS=$'\n'
    COMPREPLY=($("$1" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _frontdesk frontdesk
`)
	return err
}

// Run prints the same for zsh.
func (zshCmd) Run(r *term.Run) error {
	_, err := io.WriteString(r.Out, `#compdef frontdesk
_frontdesk() {
    local -a found
    found=("${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -z "${found[1]}" ]]; then
        _files
        return
    fi
    found=("${(@)found//:/\\:}")
    found=("${(@)found/$'\t'/:}")
    _describe frontdesk found
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _frontdesk frontdesk
`)
	return err
}

// Run prints the same for fish.
func (fishCmd) Run(r *term.Run) error {
	_, err := io.WriteString(r.Out, `function __frontdesk_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] completion words -- $words[2..-1] "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c frontdesk -f -a '(__frontdesk_words)'
`)
	return err
}

type wordsCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after the program's name; the last is being typed, and may be empty."`
}

// Run lists the possible next words.
func (c *wordsCmd) Run(r *term.Run, parsed *kong.Context) error {
	if len(c.Words) > 0 && c.Words[0] == "--" {
		c.Words = c.Words[1:]
	}
	for _, s := range suggestions(parsed.Model.Node, c.Words) {
		fmt.Fprintf(r.Out, "%s\t%s\n", s.word, s.help)
	}
	return nil
}

// suggestion is a word that may come next.
type suggestion struct{ word, help string }

// suggestions are the words that may stand where the last one is being typed.
func suggestions(node *kong.Node, words []string) (all []suggestion) {
	if len(words) == 0 {
		words = []string{""}
	}
	done, current := words[:len(words)-1], words[len(words)-1]
	place := placeOf(node, done)
	name, value, joined := strings.Cut(current, "=")
	switch {
	case place.flag != nil:
		all = valuesOf(place.flag.Value, "")
		current = strings.TrimPrefix(current, "=") // bash gives --flag=value as three words
	case joined && flagNamed(place.node, name) != nil:
		all = valuesOf(flagNamed(place.node, name).Value, name+"=")
		current = name + "=" + value
	case strings.HasPrefix(current, "-"):
		all = flagsOf(place.node)
	case !place.node.Leaf():
		all = commandsOf(place.node)
	case place.positional < len(place.node.Positional):
		all = valuesOf(place.node.Positional[place.positional], "")
	default:
		all = flagsOf(place.node)
	}
	return slices.DeleteFunc(all, func(s suggestion) bool { return !strings.HasPrefix(s.word, current) })
}

// place is how far the words of a command line have come.
type place struct {
	node       *kong.Node // the command
	flag       *kong.Flag // whose value comes next, or nil
	positional int        // arguments so far
}

func placeOf(node *kong.Node, words []string) place {
	p := place{node: node}
	for _, word := range words {
		name, _, joined := strings.Cut(word, "=")
		flag := flagNamed(p.node, name)
		child := slices.IndexFunc(p.node.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case p.flag != nil && word == "=":
		case p.flag != nil:
			p.flag = nil
		case flag != nil && !joined && !flag.IsBool():
			p.flag = flag
		case strings.HasPrefix(word, "-"):
		case child >= 0:
			p.node = p.node.Children[child]
		default:
			p.positional++
		}
	}
	return p
}

// flagsAt are the flags that may follow a command: its own and its parents', and
// those of the command that it runs if none follows.
func flagsAt(node *kong.Node) (all []*kong.Flag) {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

func flagNamed(node *kong.Node, name string) *kong.Flag {
	for _, flag := range flagsAt(node) {
		if name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short) {
			return flag
		}
	}
	return nil
}

func flagsOf(node *kong.Node) (all []suggestion) {
	for _, flag := range flagsAt(node) {
		all = append(all, suggestion{"--" + flag.Name, flag.Help})
	}
	return all
}

func commandsOf(node *kong.Node) (all []suggestion) {
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(all, suggestion{child.Name, child.Help})
		}
	}
	return all
}

// valuesOf are the values that a flag or an argument takes, each behind a prefix; none
// if they cannot be listed.
func valuesOf(value *kong.Value, prefix string) (all []suggestion) {
	var words []string
	switch value.Target.Interface().(type) {
	case application.WebhookEvent:
		words = texts(application.WebhookEvents())
	case application.Mode:
		words = texts([]application.Mode{application.ApplicationRestricted, application.UserRestricted})
	case application.EndpointName:
		words = texts(access.Grantable())
	case []staff.Role:
		words = texts(staff.AllRoles())
	case request.Type:
		words = texts(request.Types())
	default:
		words = value.EnumSlice()
	}
	for _, word := range words {
		if word != "" {
			all = append(all, suggestion{prefix + word, ""})
		}
	}
	return all
}

func texts[T ~string](values []T) (all []string) {
	for _, value := range values {
		all = append(all, string(value))
	}
	return all
}
