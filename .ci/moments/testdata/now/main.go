// Command now prints the time.
package main

import (
	"os"
	"time"
)

func main() {
	_, _ = os.Stdout.WriteString(time.Now().Format(time.RFC3339))
}
