package httpapi

// What a test may walk: what is routed, and what serves each endpoint.
var (
	Routes    = (*API).routes
	Endpoints = (*API).endpoints
)
