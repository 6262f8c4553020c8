package proof

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// maxHashes is the maximum of hashes in a proof, and of levels in a tree.
const maxHashes = 63

// appendHashes appends hashes in the form of C2SP: base64, one a line.
func appendHashes(b []byte, hashes []tlog.Hash) []byte {
	for _, h := range hashes {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return b
}

// cutHashes parses hashes, a line each, up to the empty line that ends them, and
// returns the rest. It accepts only the form of [appendHashes].
func cutHashes(b []byte) (hashes []tlog.Hash, rest []byte, ok bool) {
	for range maxHashes + 1 {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		if !found {
			return nil, nil, false
		}
		if len(line) == 0 {
			return hashes, rest, true
		}
		hash, err := tlog.ParseHash(string(line))
		if err != nil || hash.String() != string(line) {
			return nil, nil, false
		}
		hashes, b = append(hashes, hash), rest
	}
	return nil, nil, false
}

// cutNumber parses a line of a word and a number, in the form of [strconv].
func cutNumber(b []byte, word string) (n int64, rest []byte, ok bool) {
	line, rest, _ := bytes.Cut(b, []byte{'\n'})
	digits, named := strings.CutPrefix(string(line), word+" ")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, rest, named && err == nil && n >= 0 && strconv.FormatInt(n, 10) == digits
}
