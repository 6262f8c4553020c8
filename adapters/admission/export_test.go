package admission

// Spenders counts the spenders in memory.
func Spenders[K comparable](l *RateLimiter[K]) int { return len(l.spenders) }
