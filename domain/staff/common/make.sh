#!/bin/sh
# Makes passwords.txt anew. It needs npm and node.
set -eu
cd "$(dirname "$0")"
from=$(mktemp -d)
trap 'rm -rf "$from"' EXIT
npm pack --silent --pack-destination "$from" @zxcvbn-ts/language-common@4.1.3 >/dev/null
tar -xzf "$from"/*.tgz -C "$from"
cp "$from/package/LICENSE.txt" LICENSE
node -e '
	const all = require(process.argv[1]).map(password => password.toLowerCase())
	const kept = all.filter((password, rank) => (rank < 10000 || [...password].length >= 10) && !/[\r\n]/.test(password))
	process.stdout.write([...new Set(kept)].sort().join("\n") + "\n")
' "$from/package/src/passwords.json" >passwords.txt
