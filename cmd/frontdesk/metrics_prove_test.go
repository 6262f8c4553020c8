//go:build prove

package main_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// metricsAt are the values on a process's private listener, by name with labels.
func metricsAt(ctx context.Context, private string) (found map[string]float64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, private+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics are answered %d", answer.StatusCode)
	}
	found = map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if at < 0 || lines.Text()[0] == '#' {
			continue
		}
		if found[lines.Text()[:at]], err = strconv.ParseFloat(lines.Text()[at+1:], 64); err != nil {
			return nil, err
		}
	}
	return found, lines.Err()
}

// metricAt is a value on a port of this machine, -1 if absent.
func metricAt(ctx context.Context, port, name string) float64 {
	found, err := metricsAt(ctx, "http://127.0.0.1:"+port)
	value, told := found[name]
	if err != nil || !told {
		return -1
	}
	return value
}
