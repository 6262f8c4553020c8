package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// child is a program for Node.js. It takes an order on each line of its input, and
// writes an answer on a line of its output.
type child struct {
	orders   io.Writer
	answers  *bufio.Scanner
	troubles bytes.Buffer
}

// newNode starts node/<name>.mjs, whose first answer is its version.
func newNode(b *testing.B, name, url string) peer {
	b.Helper()
	withHost := strings.Replace(url, "@/", "@localhost/", 1) // Node.js requires a host there; the socket in "host" is used
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), "node", "peer.mjs", name, withHost)
	cmd.Dir = "node"
	c := &child{}
	cmd.Stderr = &c.troubles
	orders, err := cmd.StdinPipe()
	must(b, err)
	c.orders = orders
	answers, err := cmd.StdoutPipe()
	must(b, err)
	c.answers = bufio.NewScanner(answers)
	c.answers.Buffer(nil, 1<<20)
	must(b, cmd.Start())
	b.Cleanup(func() {
		_ = orders.Close() // the child ends with its input
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v\n%s", name, err, &c.troubles)
		}
	})
	p := peer{name: name, url: url, pid: cmd.Process.Pid, do: c.do}
	a := p.must(b, order{Do: "introduce"})
	p.name, p.lacks = name+" "+a.Version, a.Lacks
	return p
}

func (c *child) do(_ context.Context, o order) (a answer, err error) {
	line, err := json.Marshal(o)
	if err != nil {
		return a, err
	}
	if _, err := c.orders.Write(append(line, '\n')); err != nil {
		return a, err
	}
	if !c.answers.Scan() {
		return a, fmt.Errorf("no answer: %w\n%s", errors.Join(c.answers.Err(), io.ErrUnexpectedEOF), &c.troubles)
	}
	if err := json.Unmarshal(c.answers.Bytes(), &a); err != nil {
		return a, err
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}
