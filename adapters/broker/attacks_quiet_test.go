package broker_test

import (
	"fmt"

	"frontdesk/feed"
)

// quietAttacks listen, or impersonate others.
func quietAttacks() map[string]attack {
	return map[string]attack{
		"listening to all": {do: func(a *attacker) {
			for _, subject := range []string{
				">", "*.>", "frontdesk.>", "frontdesk.log.*.*.>", filter, "_INBOX.>", "_INBOX.*.*", "_R_.>", "_GR_.>", "$JS.>", "$JS.ACK.>", "$JS.EVENT.ADVISORY.>", "$SYS.>", "$NRG.>", "$JSC.>",
			} {
				a.listen(subject)
			}
			a.happen(1)
			a.read(a.stream("everything", feed.API), "everything", 2, 7)
		}, lively: true},
		"listening in a queue": {do: func(a *attacker) {
			for _, subject := range []string{"_INBOX.>", "frontdesk.log.>"} {
				_, _ = a.conn.QueueSubscribe(subject, "everything", a.hear)
			}
			a.must(a.conn.Flush())
			a.happen(1)
			a.read(a.stream("everything", feed.API), "everything", 2, 7)
		}, lively: true},
		"acknowledgements and flow control of others": {do: func(a *attacker) {
			for _, of := range []string{theirs, "everything"} {
				for _, word := range []string{"+ACK", "-NAK", "+TERM", "+NXT", `+NXT {"batch":10}`, "+WPI"} {
					a.send("$JS.ACK."+log1+"."+of+".1.2.1.1700000000000000000.3", "_INBOX_a.next", word)
					a.send("$JS.ACK._.hash.LOG."+log1+"."+of+".1.2.1.1700000000000000000.3.x", "_INBOX_a.next", word)
				}
				a.send("$JS.FC."+log1+"."+of+".1", "_INBOX_a.fc", "")
			}
		}, harmless: true},
		"the server's own questions": {do: func(a *attacker) {
			for _, what := range []string{"VARZ", "CONNZ", "SUBSZ", "JSZ", "ACCOUNTZ", "ROUTEZ", "STATSZ", "HEALTHZ", "CONFIGZ", "PROFILEZ", "IDZ", "RAFTZ"} {
				for _, at := range []string{"$SYS.REQ.SERVER.PING.", "$SYS.REQ.SERVER.nats-1.", "$SYS.REQ.ACCOUNT.LOG.", "$SYS.REQ.ACCOUNT.PING.", "$SYS.REQ.ACCOUNT.everything."} {
					a.send(at+what, "_INBOX_a.sys", `{"account":"LOG","acc":"LOG","subscriptions":true,"subs_detail":true,"streams":true,"consumer":true,"config":true}`)
				}
			}
			for _, subject := range []string{
				"$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.NSUBS", "$SYS.DEBUG.SUBSCRIBERS", "$SYS.REQ.CLAIMS.LIST", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.nats-1.RELOAD", "$SYS.REQ.USER.AUTH",
			} {
				a.send(subject, "_INBOX_a.sys", filter)
			}
		}, harmless: true},
		"the way of a message": {do: func(a *attacker) {
			for _, headers := range [][]string{
				{"Nats-Trace-Dest", "_INBOX_a.trace"}, {"Nats-Trace-Dest", "_INBOX_a.trace", "Nats-Trace-Only", "true"}, {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
			} {
				a.ask("CONSUMER.MSG.NEXT."+log1+"."+ours, `{"batch":1}`, headers...)
				a.ask("CONSUMER.MSG.NEXT."+log1+"."+theirs, `{"batch":1}`, headers...)
				a.ask("CONSUMER.INFO."+log1+"."+ours, ``, headers...)
				a.send("frontdesk.log.1.oak-lane.a.v1", "_INBOX_a.traced", `{}`, headers...)
			}
		}},
		"somebody else's name in the headers": {do: func(a *attacker) {
			for _, claim := range []string{`{"acc":"LOG"}`, `{"acc":"LOG","svc":"LOG"}`, `{"acc":"SYS","svc":"LOG","user":"administrator"}`} {
				headers := []string{"Nats-Request-Info", claim}
				a.ask("STREAM.LIST", ``, headers...)
				a.ask("STREAM.INFO."+log1, ``, headers...)
				a.ask("CONSUMER.LIST."+log1, ``, headers...)
				a.ask("CONSUMER.INFO."+log1+"."+theirs, ``, headers...)
				a.ask("CONSUMER.CREATE."+log1+".mine", `{"stream_name":"frontdesk-log-1","config":{"name":"mine"}}`, headers...)
				a.ask("STREAM.DELETE."+log1, ``, headers...)
				a.ask("CONSUMER.INFO."+log1+"."+ours, ``, headers...)
			}
		}},
		"answers in other names": {do: func(a *attacker) {
			a.listen("_R_.>")
			for _, subject := range []string{"_R_.x.y", "_R_.*.*", "_INBOX.x", "$JS.API.>", "frontdesk.api.>", "$JS.*.API.STREAM.LIST"} {
				a.send(subject, "_INBOX_a.r", `{}`)
			}
			a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, "_R_.x.y", `{"batch":10,"no_wait":true}`)
			a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, "_INBOX.x", `{"batch":10,"no_wait":true}`)
		}, harmless: true},
		"huge and many requests": {do: func(a *attacker) {
			for n := range 50 {
				a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, fmt.Sprintf("_INBOX_a.%d", n), `{"batch":1000000000,"expires":9000000000000000000,"idle_heartbeat":1000000}`)
				a.send(a.api+".CONSUMER.RESET."+log1+"."+ours, "_INBOX_a.reset", fmt.Sprintf(`{"seq":%d}`, n))
				a.ask(fmt.Sprintf("CONSUMER.CREATE.%s.c%d", log1, n), fmt.Sprintf(`{"stream_name":%q,"config":{"name":"c%d","filter_subject":"frontdesk.log.1.elm-street.>"}}`, log1, n))
			}
		}},
		"another domain": {do: func(a *attacker) {
			for _, api := range []string{"$JS.frontdesk.API", "$JS.hub.API", "$JS.LOG.API", "JS.API"} {
				for _, subject := range []string{"STREAM.LIST", "STREAM.INFO." + log1, "CONSUMER.LIST." + log1} {
					a.send(api+"."+subject, "_INBOX_a.domain", ``)
				}
			}
		}, harmless: true},
	}
}
