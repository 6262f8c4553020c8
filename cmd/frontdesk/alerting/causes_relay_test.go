package alerting_test

import (
	"context"
	"log/slog"

	"github.com/nats-io/nats.go"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/feed"
)

var relayCauses = map[string]cause{
	"the broker is away": {
		fires: []string{"RelayLags"},
		with:  func(w *world) { w.relays() },
		wrong: func(w *world) {
			w.broker.Stop()
			w.until("the relay lags", func(m metrics) bool { return m.above("frontdesk_relay_lag_seconds", 1) })
		},
		fix: func(w *world) { w.broker.Start(); w.until("the broker has all", relayed) },
	},
	"the relay ends": {
		fires: []string{"RelayLags", "ProcessDown"},
		with:  func(w *world) { w.relays() },
		wrong: func(w *world) { w.relay.stop() },
		fix:   func(w *world) { w.relay = w.relaysAgain() },
	},
	"the broker holds what the log has not": {
		slow:  true, // it stops when it has been sure for 45 s
		fires: []string{"RelayHasStopped"},
		with: func(w *world) {
			w.broker = brokertest.New(w.t)
			w.config.Broker, w.config.BrokerStreams = broker.Server{URLs: []string{w.broker.URL()}}, broker.Streams{Replicas: 1}
			w.restarts()
			w.until("the broker has all", relayed)
		},
		wrong: func(w *world) {
			message := nats.NewMsg(feed.Subject(1, "elm-street", "practice.moved.v9"))
			message.Header.Set(nats.MsgIdHdr, "of another history")
			_, err := w.broker.JetStream().PublishMsg(w.t.Context(), message)
			w.must(err)
			w.until("it stops", func(m metrics) bool { return m.is("frontdesk_relay_stopped", 1) })
		},
	},
}

// relays starts a broker, and a relay of its own.
func (w *world) relays() {
	w.broker = brokertest.New(w.t)
	w.relay = w.relaysAgain()
	w.until("the broker has all", relayed)
}

func (w *world) relaysAgain() *process {
	return w.beside("frontdesk-relay", func(log *slog.Logger) func(context.Context) error {
		return app.Relay{
			DatabaseURL: w.auditor(), Broker: broker.Server{URLs: []string{w.broker.URL()}}, Streams: broker.Streams{Replicas: 1},
			MetricsListen: "127.0.0.1:0", Log: log,
		}.Run
	})
}
