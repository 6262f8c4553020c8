package export

import (
	"crypto/sha256"
	"math"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// Line is a parsed line. One of the three members has its content.
type Line struct {
	N      int64
	Hash   tlog.Hash // of the leaf
	Event  *EventLine
	Access *AccessLine // nil, as Event is, if only the hash is shown
}

// Idx returns the idx of the content, and 0 for a hash only.
func (l Line) Idx() int64 {
	switch {
	case l.Event != nil:
		return l.Event.Leaf.Idx
	case l.Access != nil:
		return l.Access.Leaf.Idx
	}
	return 0
}

// Parser parses lines. Texts in a returned line are valid until the next one.
type Parser struct {
	scanner scanner
	event   EventLine
	access  AccessLine
	leaf    []byte
}

// Parse returns a parsed line, and whether it has a valid form. The newline is not part
// of it.
func (p *Parser) Parse(text []byte) (l Line, ok bool) {
	s := &p.scanner
	s.begin(text)
	s.require(utf8.Valid(text))
	l.N = s.number(`{"n":`, math.MaxInt64)
	switch {
	case s.has(`,"leaf":"`):
		l.Hash = s.hash()
	default:
		p.parseShown(&l, s.number(`,"idx":`, math.MaxInt64))
	}
	s.must("}")
	return l, !s.failed && len(s.rest) == 0
}

// hash parses a hash in the form of a checkpoint.
func (s *scanner) hash() (h tlog.Hash) {
	b := s.bytes()
	s.require(copy(h[:], b) == len(h) && len(b) == len(h))
	return h
}

// parseShown parses the members behind the idx, which are the content.
func (p *Parser) parseShown(l *Line, idx int64) {
	if p.scanner.has(`,"tenant":"`) {
		p.parseEvent(l.N, idx)
		l.Event = &p.event
		p.leaf = p.event.Leaf.Append(p.leaf[:0])
	} else {
		p.parseAccess(l.N, idx)
		l.Access = &p.access
		p.leaf = p.access.Leaf.Append(p.leaf[:0])
	}
	l.Hash = tlog.RecordHash(p.leaf)
}

func (p *Parser) parseEvent(n, idx int64) {
	s, e := &p.scanner, EventLine{N: n, Leaf: proof.Leaf{Idx: idx}}
	e.Leaf.Tenant = s.short("")
	e.Leaf.Stream = s.id(`,"stream":"`)
	e.Leaf.Version = int(s.number(`,"version":`, math.MaxInt32))
	e.Leaf.ID = s.id(`,"id":"`)
	e.Leaf.Name = s.short(`,"name":"`)
	e.Leaf.At = s.instant(`,"recordedAt":"`)
	e.Leaf.Patient = s.optionalID(`,"patient":"`)
	e.Data, e.Leaf.Data = s.part(`,"data":"`, `,"dataSha256":"`)
	e.Metadata, e.Leaf.Metadata = s.part(`,"metadata":"`, `,"metadataSha256":"`)
	e.Sealed, e.Leaf.Sealed = s.sealed()
	if s.has(`,"opened":"`) {
		e.Opened = s.text("")
	}
	p.event = e
}

func (p *Parser) parseAccess(n, idx int64) {
	s, a := &p.scanner, AccessLine{N: n, Leaf: proof.AccessLeaf{Idx: idx}}
	a.Leaf.RequestID = s.id(`,"requestId":"`)
	a.Leaf.At = s.instant(`,"at":"`)
	a.Leaf.Tenant = s.short(`,"tenant":"`)
	a.Leaf.Application = s.id(`,"application":"`)
	a.Leaf.Mode = s.short(`,"mode":"`)
	a.Leaf.Staff = s.optionalID(`,"staff":"`)
	a.Leaf.Endpoint = s.short(`,"endpoint":"`)
	a.Leaf.Patient = s.optionalID(`,"patient":"`)
	a.Leaf.Status = int(s.number(`,"status":`, math.MaxInt32))
	a.Leaf.Code = s.short(`,"code":"`)
	a.Leaf.TokenHash = s.digest(`,"tokenHash":"`)
	a.Reason, a.Leaf.Reason = s.part(`,"reason":"`, `,"reasonSha256":"`)
	a.Act, a.Leaf.Act = s.optionalPart(`,"act":"`, `,"actSha256":"`)
	a.Sealed, a.Leaf.Sealed = s.sealed()
	if s.has(`,"repeats":`) {
		a.Leaf.Repeats = int(s.number("", math.MaxInt32))
		s.require(a.Leaf.Repeats > 0)
	}
	p.access = a
}

// part parses a text, or its digest if it is left out.
func (s *scanner) part(name, digestName string) (text []byte, d event.Digest) {
	if s.has(name) {
		text = s.text("")
		return text, sha256.Sum256(text)
	}
	return nil, s.digest(digestName)
}

func (s *scanner) optionalPart(name, digestName string) (text []byte, d *event.Digest) {
	switch {
	case s.has(name):
		text = s.text("")
		return text, new(event.Digest(sha256.Sum256(text)))
	case s.has(digestName):
		return nil, new(s.digest(""))
	}
	return nil, nil
}

func (s *scanner) sealed() (box []byte, d *event.Digest) {
	switch {
	case s.has(`,"sealed":"`):
		box = s.bytes()
		return box, new(event.Digest(sha256.Sum256(box)))
	case s.has(`,"sealedSha256":"`):
		return nil, new(s.digest(""))
	}
	return nil, nil
}
