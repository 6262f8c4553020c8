package httpapi

// Routes lets a test walk what is routed.
var Routes = (*API).routes
