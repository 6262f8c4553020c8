package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"frontdesk/cmd/frontdesk/cli/term"
)

// unknownCommand returns nil for a command line that names a command. Otherwise its error
// suggests the commands whose words are nearest.
func unknownCommand(args []string) error {
	parser, err := newParser(&commandLine{}, Streams{}, nil)
	if err != nil {
		return err
	}
	node, typed := parser.Model.Node, args
	if flag := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }); flag >= 0 {
		typed = args[:flag]
	}
	for i, word := range typed {
		if node.Leaf() {
			return nil
		}
		at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		if at < 0 {
			return unknown(typed[:i+1], nearest(parser.Model.Node, typed))
		}
		node = node.Children[at]
	}
	return nil
}

func unknown(typed, near []string) error {
	for i, path := range near {
		near[i] = `"frontdesk ` + path + `"`
	}
	if len(near) == 0 {
		return fmt.Errorf("unknown command %q", strings.Join(typed, " "))
	}
	return fmt.Errorf("unknown command %q, did you mean %s?", strings.Join(typed, " "), strings.Join(near, " or "))
}

const (
	leastScore = 0.5 // of a command that is suggested
	mostNear   = 3   // commands that are suggested
	helpCredit = 0.1 // for a word that is in the help of a command, not in its name
)

// nearest returns the commands whose words are most similar to the typed words, in any order.
func nearest(root *kong.Node, typed []string) (near []string) {
	words, best := wordsOf(strings.Join(typed, " ")), leastScore
	var visit func(node *kong.Node)
	visit = func(node *kong.Node) {
		if node.Hidden {
			return
		}
		if node != root {
			switch score := scoreOf(words, node); {
			case score > best:
				best, near = score, []string{node.Path()}
			case score == best:
				near = append(near, node.Path())
			}
		}
		for _, child := range node.Children {
			visit(child)
		}
	}
	visit(root)
	return near[:min(len(near), mostNear)]
}

// scoreOf is 1 if a command has the same words, and 0 if it has none of them.
func scoreOf(typed []string, command *kong.Node) float64 {
	name, help := wordsOf(command.Path()), wordsOf(command.Help)
	all, sum := float64(len(typed)+len(name)), 0.0
	for _, word := range typed {
		at, best := -1, 0.0
		for i, other := range name {
			if s := term.Similarity(word, other); s > best {
				at, best = i, s
			}
		}
		switch {
		case at >= 0:
			name = slices.Delete(name, at, at+1)
			sum += best
		case slices.ContainsFunc(help, func(other string) bool { return term.Similarity(word, other) > 0 }):
			sum += helpCredit
		}
	}
	return 2 * sum / all
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
