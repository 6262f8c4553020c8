package outbound

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
)

// fakeDNS answers every question for an IPv4 address with answer.
type fakeDNS struct {
	answer atomic.Pointer[[]string]
}

// resolver queries d instead of the system, over a pipe.
func (d *fakeDNS) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go d.serve(theirs) // ends when the resolver closes its side
		return ours, nil
	}}
}

// serve speaks DNS over a stream: every message after its length (RFC 1035, §4.2.2).
func (d *fakeDNS) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := d.reply(query)
		framed := binary.BigEndian.AppendUint16(nil, uint16(len(reply)))
		if _, err := conn.Write(append(framed, reply...)); err != nil {
			return
		}
	}
}

func (d *fakeDNS) reply(query []byte) []byte {
	const header, typeA = 12, 1
	name := bytes.IndexByte(query[header:], 0) + 1
	question := query[header : header+name+4]
	var answers []string
	if binary.BigEndian.Uint16(question[name:]) == typeA {
		answers = *d.answer.Load()
	}
	reply := append([]byte{}, query[:2]...)    // the same id
	reply = append(reply, 0x81, 0x80, 0, 1, 0) // an answer to one question …
	reply = append(reply, byte(len(answers)))  // … of so many addresses
	reply = append(reply, 0, 0, 0, 0)          // and no others
	reply = append(reply, question...)
	for _, text := range answers {
		addr := netip.MustParseAddr(text).As4()
		reply = append(reply, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // the queried name, no caching
		reply = append(reply, addr[:]...)
	}
	return reply
}
