package httpapi

// For tests that walk the routes and the tables of endpoints.
var (
	Routes    = (*API).routes
	Endpoints = (*API).endpoints
)
