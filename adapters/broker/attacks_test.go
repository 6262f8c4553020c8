package broker_test

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/feed"
)

// attack is an attempt of a follower.
type attack struct {
	do       func(*attacker)
	harmless bool // even in the log's own account
	lively   bool // others are active at the same time, so only received messages count
}

const (
	log1   = "frontdesk-log-1"
	filter = "frontdesk.log.1.oak-lane.>"
)

// attacks are attempts of an expert in NATS.
func attacks() map[string]attack {
	pause := fmt.Sprintf(`{"pause_until":%q}`, clock.Deadline(time.Hour).UTC().Format(time.RFC3339))
	all := map[string]attack{
		"an answer that deletes a stream": {do: func(a *attacker) {
			a.read(a.stream(map[bool]string{true: "administrator", false: ours}[a.inside], a.api), ours, 1, 1) // so that none is left
			for _, reply := range orders() {
				a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, reply, `{"batch":1,"no_wait":true}`)
				a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, reply, `{"batch":1,"expires":1000000}`)
				a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, reply, `{"batch":-1}`)
				a.send(a.api+".CONSUMER.INFO."+log1+"."+ours, reply, ``)
				a.send(a.api+".CONSUMER.RESET."+log1+"."+ours, reply, `{"seq":1}`)
				a.send(a.api+".DIRECT.GET.frontdesk-epochs.frontdesk.epochs", reply, ``)
			}
		}},
		"an answer that is an event": {do: func(a *attacker) {
			for _, reply := range []string{"frontdesk.log.1.oak-lane.a.v1", "frontdesk.log.2.elm-street.a.v1", feed.EpochsSubject} {
				a.send(a.api+".CONSUMER.MSG.NEXT."+log1+"."+ours, reply, `{"batch":5,"no_wait":true}`)
				a.send(a.api+".DIRECT.GET.frontdesk-epochs.frontdesk.epochs", reply, ``)
			}
		}},
		"consumers of their own": {do: func(a *attacker) {
			for n, config := range consumers() {
				name := fmt.Sprintf("mine%d", n)
				body := fmt.Sprintf(`{"stream_name":%q,"config":{"name":%q,%s}}`, log1, name, config)
				a.ask("CONSUMER.CREATE."+log1, body)
				a.ask("CONSUMER.CREATE."+log1+"."+name, body)
				a.ask("CONSUMER.CREATE."+log1+"."+name+"."+filter, body)
				a.ask("CONSUMER.CREATE."+log1+"."+name+".frontdesk.log.1.elm-street.>", body)
				a.ask("CONSUMER.DURABLE.CREATE."+log1+"."+name, strings.Replace(body, `"name"`, `"durable_name"`, 1))
			}
		}},
		"their consumer with another filter": {do: func(a *attacker) {
			for _, config := range consumers() {
				body := fmt.Sprintf(`{"stream_name":%q,"config":{"durable_name":%q,"name":%q,"ack_policy":"none","max_waiting":16,%s}}`, log1, ours, ours, config)
				a.ask("CONSUMER.CREATE."+log1+"."+ours, body)
				a.ask("CONSUMER.CREATE."+log1+"."+ours+"."+filter, body)
				a.ask("CONSUMER.CREATE."+log1+"."+ours+".frontdesk.log.1.elm-street.>", body)
				a.ask("CONSUMER.DURABLE.CREATE."+log1+"."+ours, body)
			}
		}},
		"consumers of others": {do: func(a *attacker) {
			for _, name := range []string{theirs, "everything"} {
				a.ask("CONSUMER.MSG.NEXT."+log1+"."+name, `{"batch":100}`)
				a.ask("CONSUMER.INFO."+log1+"."+name, ``)
				a.ask("CONSUMER.RESET."+log1+"."+name, `{"seq":3}`)
				a.ask("CONSUMER.PAUSE."+log1+"."+name, pause)
				a.ask("CONSUMER.UNPIN."+log1+"."+name, `{"group":"a"}`)
				a.ask("CONSUMER.LEADER.STEPDOWN."+log1+"."+name, ``)
				a.ask("CONSUMER.DELETE."+log1+"."+name, ``)
				for _, odd := range []string{ours + "." + name, name + "." + ours, ">", "*", name + ".", "../" + name} {
					a.ask("CONSUMER.MSG.NEXT."+log1+"."+odd, `{"batch":100}`)
					a.ask("CONSUMER.INFO."+log1+"."+odd, ``)
				}
			}
		}},
		"their own consumer ended": {do: func(a *attacker) {
			a.ask("CONSUMER.DELETE."+log1+"."+ours, ``)
			a.ask("CONSUMER.PAUSE."+log1+"."+ours, pause)
		}},
		"single messages": {do: func(a *attacker) {
			for _, stream := range []string{log1, feed.EpochsStream} {
				for _, body := range []string{
					`{"seq":2}`, `{"seq":1,"next_by_subj":"` + filter + `"}`, `{"batch":100,"next_by_subj":">"}`, `{"last_by_subj":"` + feed.Subject(1, theirs, "patient-request.submitted.v1") + `"}`,
					`{"multi_last":[">"],"batch":100}`, `{"batch":10,"seq":1,"up_to_seq":9}`, `{"start_time":"2020-01-01T00:00:00Z","batch":9}`,
				} {
					a.ask("DIRECT.GET."+stream, body)
					a.ask("STREAM.MSG.GET."+stream, body)
					a.ask("DIRECT.GET.frontdesk-epochs.frontdesk.epochs", body)
				}
				a.ask("DIRECT.GET."+stream+"."+feed.Subject(1, theirs, "patient-request.submitted.v1"), ``)
			}
		}},
		"what there is": {do: func(a *attacker) {
			for _, body := range []string{``, `{"subjects_filter":">"}`, `{"subject":">"}`, `{"offset":0}`} {
				a.ask("STREAM.INFO."+log1, body)
				a.ask("STREAM.NAMES", body)
				a.ask("STREAM.LIST", body)
				a.ask("CONSUMER.NAMES."+log1, body)
				a.ask("CONSUMER.LIST."+log1, body)
				a.ask("INFO", body)
			}
		}},
		"streams changed": {do: func(a *attacker) {
			a.ask("STREAM.UPDATE."+log1, `{"name":"frontdesk-log-1","subjects":["frontdesk.log.1.>"],"max_msgs":1}`)
			a.ask("STREAM.PURGE."+log1, ``)
			a.ask("STREAM.MSG.DELETE."+log1, `{"seq":2}`)
			a.ask("STREAM.LEADER.STEPDOWN."+log1, ``)
			a.ask("STREAM.PEER.REMOVE."+log1, `{"peer":"nats-1"}`)
			a.ask("META.LEADER.STEPDOWN", ``)
			a.ask("SERVER.REMOVE", `{"peer":"nats-2"}`)
			a.ask("ACCOUNT.PURGE.LOG", ``)
			a.ask("STREAM.SNAPSHOT."+log1, `{"deliver_subject":"_INBOX_a.snapshot"}`)
			a.ask("STREAM.RESTORE."+log1, `{"config":{"name":"frontdesk-log-1"},"state":{}}`)
			a.ask("STREAM.DELETE."+log1, ``)
		}},
		"streams of their own": {do: func(a *attacker) {
			for n, from := range []string{
				`"mirror":{"name":"frontdesk-log-1"}`, `"sources":[{"name":"frontdesk-log-1"}]`, `"subjects":[">"]`, `"subjects":["_INBOX.>"]`,
				`"mirror":{"name":"frontdesk-log-1","external":{"api":"$JS.API","deliver":"_INBOX_a"}}`, `"sources":[{"name":"frontdesk-log-1","external":{"api":"frontdesk.api"}}]`,
			} {
				a.ask(fmt.Sprintf("STREAM.CREATE.mine%d", n), fmt.Sprintf(`{"name":"mine%d",%s}`, n, from))
			}
		}},
		"events": {do: func(a *attacker) {
			for _, subject := range []string{"frontdesk.log.1.elm-street.a.v1", "frontdesk.log.1.oak-lane.a.v1", "frontdesk.log.2._.a.v1", feed.EpochsSubject} {
				a.send(subject, "_INBOX_a.published", `[{"epoch":9,"first":1}]`)
				a.send(subject, "", ``, "Nats-Rollup", "sub", "Nats-Expected-Last-Sequence", "6")
			}
		}},
	}
	maps.Copy(all, quietAttacks())
	return all
}

// orders are subjects on which an empty message makes the broker act.
func orders() (all []string) {
	for _, api := range []string{"$JS.API", feed.API} {
		for _, order := range []string{
			"STREAM.DELETE." + log1, "STREAM.DELETE." + feed.EpochsStream, "STREAM.PURGE." + feed.EpochsStream, "CONSUMER.DELETE." + log1 + "." + theirs,
			"CONSUMER.MSG.NEXT." + log1 + "." + theirs, "CONSUMER.RESET." + log1 + "." + theirs, "STREAM.LEADER.STEPDOWN." + log1, "META.LEADER.STEPDOWN",
		} {
			all = append(all, api+"."+order)
		}
	}
	return all
}

// consumers are configurations with which a consumer could read or do more.
func consumers() []string {
	return []string{
		`"filter_subject":"` + filter + `"`, `"filter_subject":"frontdesk.log.1.*.>"`, `"filter_subject":">"`, `"deliver_policy":"all"`,
		`"filter_subjects":["frontdesk.log.1.elm-street.>","` + filter + `"]`, `"filter_subjects":["frontdesk.log.*.*.>"]`,
		`"filter_subject":"frontdesk.log.1.elm-street.>","deliver_subject":"_INBOX_a.push"`,
		`"filter_subject":"` + filter + `","deliver_subject":"_INBOX_a.push"`, `"deliver_subject":"_INBOX_a.push","direct":true`,
		`"filter_subject":"frontdesk.log.1.elm-street.>","deliver_subject":"` + feed.EpochsSubject + `","idle_heartbeat":100000000`,
		`"filter_subject":"frontdesk.log.1.elm-street.>","deliver_subject":"$JS.API.CONSUMER.MSG.NEXT.frontdesk-log-1.oak-lane"`,
		`"filter_subject":"frontdesk.log.1.elm-street.>","deliver_subject":"$JS.API.STREAM.DELETE.frontdesk-log-1","headers_only":true,"idle_heartbeat":100000000`,
		`"filter_subject":"frontdesk.log.1.elm-street.>","deliver_subject":"frontdesk.log.2.oak-lane.a.v1","headers_only":true,"idle_heartbeat":100000000`,
	}
}
