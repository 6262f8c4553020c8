package admission

// Spenders counts the spenders in memory.
func Spenders[K comparable](b *Budget[K]) int { return len(b.spenders) }
