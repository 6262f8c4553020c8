package app

import "bytes"

// follower finds the heads of requests in a stream. It goes by the lines as net/http
// does: a line ends with LF, and an empty line, with or without CR, ends the head.
type follower struct {
	at     spot
	name   [len("transfer-encoding") + 1]byte // the beginning of this header's name
	named  int
	framed bool  // a header of this request has stated where its body ends
	digits int   // of the Content-Length
	left   int64 // of the body
	spoils bool  // the request was ambiguous, and is refused
}

// spot is where in a request the follower is.
type spot int

const (
	beforeRequest spot = iota // or in an empty line, which some clients send after a body
	inRequestLine
	beforeHeader
	inEmptyLine
	inName
	inValue
	beforeLength
	inLength
	behindLength
	inBody
	lost   // nothing behind this is followed
	spoilt // the request must not be accepted
)

// The headers that state where a body ends.
var (
	lengthName   = []byte("Content-Length")
	encodingName = []byte("Transfer-Encoding")
)

// maxDigits is how long a Content-Length may be.
const maxDigits = 18

// follow parses the bytes that pass, spoils p where it is ambiguous, and returns how many
// heads have ended. It looks once at each byte of a head, and at none of a body.
func (f *follower) follow(p []byte) (heads int64) {
	for i := 0; i < len(p) && f.at != lost; i++ {
		if f.at == inBody {
			skipped := min(f.left, int64(len(p)-i))
			f.left -= skipped
			i += int(skipped) - 1
			f.endOfBody()
			continue
		}
		if f.at = f.next(p[i]); f.at == inBody {
			heads++
			f.endOfBody()
		}
		if f.at == spoilt {
			p[i] = 0 // no name and no length may hold it, so net/http refuses the request
			f.at, f.spoils = lost, true
		}
	}
	return heads
}

func (f *follower) endOfBody() {
	if f.left == 0 {
		*f = follower{}
	}
}

// next returns where the follower is after one more byte of a head.
func (f *follower) next(b byte) spot {
	switch f.at {
	case beforeRequest, inRequestLine:
		return f.inFirstLine(b)
	case beforeHeader:
		return f.inFirstByte(b)
	case inEmptyLine:
		if b == '\n' {
			return f.endOfHead()
		}
		return spoilt
	case inName:
		return f.inName(b)
	case inValue:
		return f.inValue(b)
	case beforeLength, inLength, behindLength:
		return f.inLength(b)
	case inBody, lost, spoilt: // these are no places in a head
	}
	return f.at
}

func (f *follower) inFirstLine(b byte) spot {
	switch {
	case b != '\n' && b != '\r':
		return inRequestLine
	case b == '\n' && f.at == inRequestLine:
		return beforeHeader
	}
	return f.at
}

// inFirstByte also refuses a header that continues in the next line, as RFC 9112 requires in
// 5.2: readers disagree about whose line that is.
func (f *follower) inFirstByte(b byte) spot {
	f.named = 0
	switch b {
	case '\n':
		return f.endOfHead()
	case '\r':
		return inEmptyLine
	case ' ', '\t':
		return spoilt
	}
	return f.inName(b)
}

func (f *follower) inName(b byte) spot {
	switch {
	case b == '\n':
		return beforeHeader // a line without a colon is no header; net/http refuses it
	case b == ':':
		return f.endOfName()
	case f.named < len(f.name):
		f.name[f.named] = b
		f.named++
	}
	return inName
}

// endOfName refuses a second header that states where the body ends, whether it is the same
// one or the other.
func (f *follower) endOfName() spot {
	name := f.name[:f.named]
	length, encoding := bytes.EqualFold(name, lengthName), bytes.EqualFold(name, encodingName)
	if !length && !encoding {
		return inValue
	}
	if f.framed {
		return spoilt
	}
	f.framed = true
	if encoding {
		f.left = -1 // unknown
		return inValue
	}
	return beforeLength
}

func (f *follower) inValue(b byte) spot {
	if b == '\n' {
		return beforeHeader
	}
	return inValue
}

func (f *follower) inLength(b byte) spot {
	blank := b == ' ' || b == '\t' || b == '\r'
	switch {
	case b == '\n':
		return beforeHeader
	case blank && f.at == beforeLength:
		return beforeLength
	case blank:
		return behindLength
	case b < '0' || b > '9' || f.at == behindLength || f.digits == maxDigits:
		return spoilt
	}
	f.left = f.left*10 + int64(b-'0')
	f.digits++
	return inLength
}

func (f *follower) endOfHead() spot {
	if f.left < 0 {
		return lost
	}
	return inBody
}
