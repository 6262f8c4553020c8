package httpapitest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Reached counts the answers to calls by the parts of the description that they reach: an
// operation's status, such as "GET /transactional-api/ping 200", and a header of that, such
// as "GET /transactional-api/ping 200 RateLimit".
type Reached map[string]int

// Reach counts the parts of the description that an answer reaches. The answer to a method
// that a path does not have belongs to each operation of the path.
func (c *Contract) Reach(r Reached, method, path string, answer Answer) {
	methods := []string{method}
	if answer.Status == http.StatusMethodNotAllowed {
		methods = c.methods(path)
	}
	for _, method := range methods {
		place, ok := c.responseOf(method, path, answer.Status)
		if answer.Status == http.StatusMethodNotAllowed {
			place = c.follow([]string{"paths", path, strings.ToLower(method), "responses", strconv.Itoa(answer.Status)})
			ok = at(c.document, place...) != nil
		}
		if !ok {
			continue
		}
		part := method + " " + path + " " + strconv.Itoa(answer.Status)
		r[part]++
		for _, name := range c.headers(place) {
			if answer.Header.Get(name) != "" {
				r[part+" "+name]++
			}
		}
	}
}

// Parts lists what calls can reach, in order.
func (c *Contract) Parts() (parts []string) {
	for _, path := range c.Paths() {
		for _, method := range c.methods(path) {
			responses, _ := at(c.document, "paths", path, strings.ToLower(method), "responses").(map[string]any)
			for _, status := range slices.Sorted(maps.Keys(responses)) {
				part := method + " " + path + " " + status
				parts = append(parts, part)
				for _, name := range c.headers(c.follow([]string{"paths", path, strings.ToLower(method), "responses", status})) {
					parts = append(parts, part+" "+name)
				}
			}
		}
	}
	return parts
}

// Paths lists the paths, in order.
func (c *Contract) Paths() []string {
	paths, _ := at(c.document, "paths").(map[string]any)
	return slices.Sorted(maps.Keys(paths))
}

// methods lists the methods of a path, in order.
func (c *Contract) methods(path string) (methods []string) {
	described, _ := at(c.document, "paths", path).(map[string]any)
	for method := range described {
		methods = append(methods, strings.ToUpper(method))
	}
	slices.Sort(methods)
	return methods
}

// Operations lists the operations, each as a method and a path.
func (c *Contract) Operations() (operations [][2]string) {
	for _, path := range c.Paths() {
		for _, method := range c.methods(path) {
			operations = append(operations, [2]string{method, path})
		}
	}
	return operations
}

func (c *Contract) headers(response []string) []string {
	headers, _ := at(c.document, append(slices.Clone(response), "headers")...).(map[string]any)
	return slices.Sorted(maps.Keys(headers))
}
