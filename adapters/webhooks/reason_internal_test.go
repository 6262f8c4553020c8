package webhooks

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"net"
	"net/url"
	"strconv"
	"syscall"
	"testing"
)

// Errors that loopback cannot produce.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://app.example/?secret", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for _, c := range []struct {
		err   error
		phase phase
		want  Reason
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "app.example", IsNotFound: true}), connecting, DNSNotFound},
		{dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), connecting, DNSError},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), connecting, DNSError},
		{dial(syscall.EHOSTUNREACH), connecting, Unreachable},
		{dial(syscall.ENETUNREACH), connecting, Unreachable},
		{dial(syscall.ETIMEDOUT), connecting, TimeoutConnect},
		{dial(context.DeadlineExceeded), connecting, TimeoutConnect},
		{dial(syscall.EADDRNOTAVAIL), connecting, Unreachable},
		{errors.New("tls: server selected unsupported protocol version 301"), handshaking, TLSError},
		{fmt.Errorf("wrapped: %w", syscall.EPIPE), awaiting, ConnectionReset},
		{context.DeadlineExceeded, reading, TimeoutBody},
	} {
		if got := reasonOf(c.err, c.phase); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}

func TestEveryReasonHasASentence(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, reason := range constants(t, "reason.go", "Reason") {
		sentence := Reason(reason).Sentence()
		if sentence == "" || seen[sentence] {
			t.Errorf("%s: %q", reason, sentence)
		}
		seen[sentence] = true
	}
}

// constants returns the string constants of a type that a Go file declares.
func constants(t *testing.T, file, typeName string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if named, ok := spec.Type.(*ast.Ident); !ok || named.Name != typeName {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Error(err)
		}
		values = append(values, value)
		return true
	})
	if len(values) < 2 {
		t.Errorf("%s declares %q of type %s; has it moved?", file, values, typeName)
	}
	return values
}
