package staffweb

// Served are all pages by method and path, for tests that list each.
func Served(p *Pages) (served []string) {
	for _, r := range p.routes() {
		for method := range r.Methods {
			served = append(served, method+" "+r.Path)
		}
	}
	return served
}
