package client

// Version is that of the package. Calls carry it in their User-Agent.
const Version = "0.1.0"

const userAgent = "frontdesk-client-go/" + Version
