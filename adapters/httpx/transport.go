package httpx

// StrictTransport returns the Strict-Transport-Security of answers over https: for a year,
// and also for all names below the host if subdomains is set.
func StrictTransport(subdomains bool) string {
	const year = "max-age=31536000"
	if subdomains {
		return year + "; includeSubDomains"
	}
	return year
}
