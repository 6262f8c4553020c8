package app

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// exchange sends the parts of a client's text. It returns the paths that were served and the
// statuses that were answered until the connection ended.
func exchange(t *testing.T, parts ...string) (served []string, statuses []int) {
	t.Helper()
	paths := make(chan string, 2_000)
	conn := listening(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		paths <- fmt.Sprintf("%s %q", r.URL.Path, body)
	}))
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // it is closed already
		}
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	statuses = statusesOf(conn)
	close(paths)
	for path := range paths {
		served = append(served, path)
	}
	return served, statuses
}

// listening is a connection to a server, which ends with t.
func listening(t *testing.T, handler http.Handler) net.Conn {
	t.Helper()
	return listeningAs(t, handler, nil)
}

// listeningAs connects to a server with that answer to malformed requests.
func listeningAs(t *testing.T, handler http.Handler, unread func(int, string) []byte) net.Conn {
	t.Helper()
	s, err := listen(t.Context(), (&net.ListenConfig{}).Listen, "127.0.0.1:0", handler, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.unread = unread
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.serve() })
	t.Cleanup(func() { _ = s.shutdown(context.Background()); serving.Wait() })
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func statusesOf(conn io.Reader) (statuses []int) {
	for reader := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, response.Body)
		statuses = append(statuses, response.StatusCode)
	}
}

const (
	post  = "POST /a HTTP/1.1\r\nHost: x\r\n"
	plain = "GET /z HTTP/1.1\r\nHost: x\r\n\r\n"
)

// A request whose end two readers could interpret differently is refused, and nothing behind
// it is served. net/http already refuses some of these; they are here so that a change of
// net/http is noticed.
func TestAmbiguousFramingIsRefused_D50(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"a length, then chunks":      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"chunks, then a length":      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"others between":             "content-length:5\r\nX: y\r\nTRANSFER-ENCODING:chunked\r\n",
		"lines end with LF":          "Content-Length: 5\nTransfer-Encoding: chunked\n",
		"two lengths":                "Content-Length: 5\r\nContent-Length: 6\r\n",
		"the same length twice":      "Content-Length: 5\r\nContent-Length: 5\r\n",
		"a list of lengths":          "Content-Length: 5, 5\r\n",
		"a signed length":            "Content-Length: +5\r\n",
		"a hexadecimal length":       "Content-Length: 0x5\r\n",
		"a length with a space":      "Content-Length: 1 5\r\n",
		"an empty length":            "Content-Length:\r\n",
		"a length out of bounds":     "Content-Length: 18446744073709551621\r\n",
		"a folded length":            "Content-Length:\r\n 5\r\n",
		"a folded header":            "X: y\r\n Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"a fold by a tab":            "X: y\r\n\tz\r\nContent-Length: 5\r\n",
		"a space before the colon":   "Content-Length : 5\r\nTransfer-Encoding: chunked\r\n",
		"a space before the name":    " Content-Length: 5\r\n",
		"a lone CR":                  "Content-Length: 5\r\n\rTransfer-Encoding: chunked\r\n",
		"a CR in a length":           "Content-Length: 5\r\r\nTransfer-Encoding: chunked\r\n",
		"no colon":                   "Content-Length 5\r\n",
		"identity and chunked":       "Transfer-Encoding: identity, chunked\r\n",
		"two encodings":              "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
		"an unknown encoding":        "Transfer-Encoding: xchunked\r\n",
		"a vertical tab":             "Transfer-Encoding: \x0bchunked\r\nContent-Length: 5\r\n",
		"chunked, with a second one": "Transfer-Encoding: chunked\r\nX: y\r\nTransfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := post + head + "\r\n0\r\n\r\n" + plain
			for how, parts := range map[string][]string{
				"at once": {text}, "byte by byte": strings.Split(text, ""), "behind another": {plain + text},
				"behind a body": {post + "Content-Length: 5\r\n\r\nhello" + text},
			} {
				before := strings.Count(how, "behind")
				served, statuses := exchange(t, parts...)
				refused := len(statuses) == before+1 && (statuses[before] == 400 || statuses[before] == 501)
				dropped := before == 1 && len(statuses) == before // the answer before it has ended the connection
				if len(served) != before || !refused && !dropped {
					t.Errorf("%s: served %q, answered %v", how, served, statuses)
				}
			}
		})
	}
}

func TestRequestsThatFollowOneAnotherAreServed(t *testing.T) {
	t.Parallel()
	chunked := post + "Transfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"no bodies":                {plain + plain, []string{`/z ""`, `/z ""`}},
		"lengths":                  {post + "Content-Length: 5\r\n\r\nhello" + post + "content-length:\t1 \r\n\r\n!" + plain, []string{`/a "hello"`, `/a "!"`, `/z ""`}},
		"no length at all":         {post + "Content-Length: 0\r\n\r\n" + plain, []string{`/a ""`, `/z ""`}},
		"lines end with LF":        {strings.ReplaceAll(post+"Content-Length: 5\r\n\r\nhello"+plain, "\r", ""), []string{`/a "hello"`, `/z ""`}},
		"empty lines between":      {post + "Content-Length: 5\r\n\r\nhello\r\n" + plain, []string{`/a "hello"`, `/z ""`}},
		"a body like a head":       {post + "Content-Length: 49\r\n\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + plain, []string{`/a "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"`, `/z ""`}},
		"names that are longer":    {"GET /z HTTP/1.1\r\nHost: x\r\nContent-Lengthy: 1\r\nX-Transfer-Encoding: y\r\nTransfer-Encodings: z\r\n\r\n" + plain, []string{`/z ""`, `/z ""`}},
		"chunks, the last request": {chunked + "5;e=\"x\"\r\nhello\r\n0\r\nX: y\r\n\r\n" + plain, []string{`/a "hello"`}},
		"HTTP/1.0 that hides one":  {"POST /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + plain, []string{`/a ""`}},
		"no path":                  {"OPTIONS * HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + plain, []string{`* ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, parts := range map[string][]string{"at once": {c.text}, "byte by byte": strings.Split(c.text, "")} {
				served, _ := exchange(t, parts...)
				if !slices.Equal(served, c.want) {
					t.Errorf("%s: served %q, want %q", how, served, c.want)
				}
			}
		})
	}
}

// A client that pipelines ahead of the answers is answered for a while, and then the
// connection ends. The length of the heads makes no difference.
func TestPipeliningBeyondLimitClosesConnection(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"short heads": plain,
		"long heads":  "GET /z HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 1_900) + "\r\n\r\n",
		"bodies":      post + "Content-Length: 5\r\n\r\nhello",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			served, statuses := exchange(t, strings.Repeat(request, 1_200))
			if len(served) == 0 || len(served) > 20 || len(statuses) > len(served) {
				t.Errorf("of 1,200 requests at once %d were served, and %d answers came", len(served), len(statuses))
			}
		})
	}
}

// The next request may come before the one that was answered has been cleared away.
func TestSequentialCallsKeepConnection(t *testing.T) {
	t.Parallel()
	asksAgain := make(chan struct{}, 1)
	conn := listening(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "0")
		_ = http.NewResponseController(w).Flush()
		<-asksAgain
	}))
	defer close(asksAgain)
	answers := bufio.NewReader(conn)
	for n := range 100 {
		if _, err := io.WriteString(conn, plain); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			asksAgain <- struct{}{}
		}
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.Close {
			t.Fatalf("after %d requests the connection is to end", n+1)
		}
	}
}

// The follower finds the end of each request where net/http finds it, or refuses the request,
// or gives up. A request that it passes has at most one header that states where the body
// ends.
func FuzzFraming(f *testing.F) {
	f.Add([]byte(plain + plain))
	f.Add([]byte(post + "Content-Length: 5\r\n\r\nhello" + plain))
	f.Add([]byte(post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + plain))
	f.Add([]byte(post + "X: y\r\n Content-Length: 5\r\n\r\nhello" + plain))
	f.Add([]byte("POST /a HTTP/1.0\nContent-Length:\t5 \nTransfer-Encoding: x\n\nhello" + plain))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, end := range endsOf(slices.Clone(stream), len(stream)) {
			passed := slices.Clone(stream[:end.head])
			var follows follower
			follows.follow(passed)
			if !bytes.Equal(passed, stream[:end.head]) || follows.at == lost {
				return // it was refused, or is the last of its connection
			}
			if end.framings > 1 {
				t.Fatalf("%q has %d headers that say where its body ends", passed, end.framings)
			}
			if got := int64(end.head) + follows.left; got != int64(end.body) {
				t.Fatalf("%q: the follower finds the end at %d, net/http at %d", stream, got, end.body)
			}
		}
		inOne, inBytes := slices.Clone(stream), slices.Clone(stream)
		var one, many follower
		one.follow(inOne)
		for i := range inBytes {
			many.follow(inBytes[i : i+1])
		}
		if one != many || !bytes.Equal(inOne, inBytes) {
			t.Fatalf("%q: how the stream is cut makes a difference: %+v, %+v", stream, one, many)
		}
	})
}

// end is where a request ends, and how many of its headers state it.
type end struct{ head, body, framings int }

// endsOf reads the stream as net/http does, up to the first request that it refuses.
func endsOf(stream []byte, size int) (ends []end) {
	source := bytes.NewReader(stream)
	reader := bufio.NewReader(iotest.OneByteReader(source)) // so that it does not read ahead
	for {
		begin := size - source.Len()
		request, err := http.ReadRequest(reader)
		if err != nil {
			return ends
		}
		head := size - source.Len()
		if _, err := io.Copy(io.Discard, request.Body); err != nil || reader.Buffered() > 0 {
			return ends
		}
		ends = append(ends, end{head, size - source.Len(), framingsOf(stream[begin:head])})
	}
}

func framingsOf(head []byte) int {
	_, headers, _ := bytes.Cut(head, []byte("\n"))
	known, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(headers))).ReadMIMEHeader()
	return len(known["Content-Length"]) + len(known["Transfer-Encoding"])
}
