//go:build prove

package main_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/clock"
)

// unsignedTokens names an application whose key set is unavailable, with tokens that any
// client can invent, 1,400 times a second.
func unsignedTokens(a *attacker) {
	var clients [sources]*http.Client
	for n := range clients {
		clients[n] = from(sourceOf(n), a.Address, 30*time.Second)
	}
	a.every(1_400, func(n int) {
		r, err := http.NewRequest(http.MethodGet, "http://"+a.Own.Tenant+"."+apiDomain+"/transactional-api/ping", http.NoBody)
		if err != nil {
			panic(err)
		}
		r.Header.Set("Authorization", "Bearer "+madeUp(a.Hanging.ID.String()))
		answer, err := clients[n%sources].Do(r)
		if err != nil {
			a.saw("no answer")
			return
		}
		answer.Body.Close()
		a.saw(strconv.Itoa(answer.StatusCode))
	})
}

// madeUp is a token as an application would make it, except for its signature.
func madeUp(iss string) string {
	now, encode := clock.System().Unix(), base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"iss":%q,"sub":%q,"iat":%d,"exp":%d}`, iss, iss, now, now+60)
	return encode([]byte(`{"alg":"RS256","typ":"JWT","kid":"k"}`)) + "." + encode([]byte(claims)) + "." + encode([]byte(strings.Repeat("s", 256)))
}
