package webhooks

// Reason is why a delivery failed: one of a closed set, safe to show to whoever
// owns the receiver. It never quotes an address, an answer or a Go error.
type Reason string

// The reasons.
const (
	HTTP3xx           Reason = "http_3xx"
	HTTP4xx           Reason = "http_4xx"
	HTTP5xx           Reason = "http_5xx"
	HTTPOther         Reason = "http_other"
	DNSNotFound       Reason = "dns_not_found"
	DNSError          Reason = "dns_error"
	BlockedAddress    Reason = "blocked_address"
	Unreachable       Reason = "unreachable"
	ConnectionRefused Reason = "connection_refused"
	ConnectionReset   Reason = "connection_reset"
	ConnectionClosed  Reason = "connection_closed"
	TimeoutConnect    Reason = "timeout_connect"
	TimeoutTLS        Reason = "timeout_tls"
	TimeoutAnswer     Reason = "timeout_answer"
	TimeoutBody       Reason = "timeout_body"
	TLSExpired        Reason = "tls_expired"
	TLSName           Reason = "tls_name"
	TLSUntrusted      Reason = "tls_untrusted"
	TLSError          Reason = "tls_error"
	InvalidAnswer     Reason = "invalid_answer"
	NotBuilt          Reason = "not_built"
)

// sentences say what a reason means, and to whom it is news.
var sentences = map[Reason]string{
	HTTP3xx:           "The receiver answered with a redirect. Redirects are not followed: register the final address.",
	HTTP4xx:           "The receiver refused the webhook (4xx).",
	HTTP5xx:           "The receiver failed (5xx).",
	HTTPOther:         "The receiver answered with a status that is neither success nor failure.",
	DNSNotFound:       "The receiver's host name does not exist.",
	DNSError:          "The receiver's host name could not be resolved.",
	BlockedAddress:    "The receiver's address is not one that this service may call.",
	Unreachable:       "There was no way to the receiver's network.",
	ConnectionRefused: "Nothing listens at the receiver's address.",
	ConnectionReset:   "The receiver broke the connection off.",
	ConnectionClosed:  "The receiver closed the connection without an answer.",
	TimeoutConnect:    "The receiver could not be connected to in time.",
	TimeoutTLS:        "The TLS handshake did not end in time.",
	TimeoutAnswer:     "The receiver did not answer in time. Answer first, and work afterwards.",
	TimeoutBody:       "The receiver's answer began and did not end in time.",
	TLSExpired:        "The receiver's certificate has expired or is not valid yet.",
	TLSName:           "The receiver's certificate is for another host name.",
	TLSUntrusted:      "The receiver's certificate is signed by nobody that is trusted here.",
	TLSError:          "The TLS handshake failed, or the receiver does not speak TLS 1.2 or later.",
	InvalidAnswer:     "The receiver's answer was not HTTP, or its headers were too long.",
	NotBuilt:          "The webhook could not be built: what it is about is gone. Nothing was sent.",
}

// Sentence says what the reason means; "" for none.
func (r Reason) Sentence() string { return sentences[r] }

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{
		HTTP3xx, HTTP4xx, HTTP5xx, HTTPOther, DNSNotFound, DNSError, BlockedAddress, Unreachable, ConnectionRefused,
		ConnectionReset, ConnectionClosed, TimeoutConnect, TimeoutTLS, TimeoutAnswer, TimeoutBody, TLSExpired, TLSName,
		TLSUntrusted, TLSError, InvalidAnswer, NotBuilt,
	}
}
