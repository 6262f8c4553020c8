//go:build prove

package main_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// How many sign in at once, and from how many sources one person's password is guessed.
const (
	signInsAtOnce  = 640
	guessingSource = 500
)

// guesser is a stranger at the sign-in page. The page is fetched for the first
// guess.
type guesser struct {
	once sync.Once
	*browser
}

func (a *attacker) guesser(source int) *guesser {
	return &guesser{browser: newBrowser(attacked, from(sourceOf(source), a.Address, 30*time.Second))}
}

// guess sends a wrong password.
func (a *attacker) guess(g *guesser, username string) {
	g.once.Do(func() { _, _ = g.get(context.Background(), "/sign-in") })
	status, err := g.send(context.Background(), "/sign-in", member{Username: username, Password: "summer 2026"}.signIn())
	if err != nil {
		a.saw("no answer")
		return
	}
	a.saw(strconv.Itoa(status))
}

// manySignInsAtOnce signs 640 users in at once from one source, every five seconds.
func manySignInsAtOnce(a *attacker) {
	g := a.guesser(0)
	for range time.Tick(5 * time.Second) {
		for n := range signInsAtOnce {
			a.begins()
			go a.guess(g, fmt.Sprint("guessed-", n))
		}
	}
}

// manyUsernames tries one password with 3,000 usernames from one source.
func manyUsernames(a *attacker) {
	g := a.guesser(0)
	a.every(3_000/siege.Seconds(), func(n int) { a.guess(g, fmt.Sprint("guessed-", n%3_000)) })
}

// manySources guess the password of one account, each of them every other second.
// Its owner is one of the honest staff, and has signed in before.
func manySources(a *attacker) {
	var guessers [guessingSource]*guesser
	for n := range guessers {
		guessers[n] = a.guesser(n)
	}
	a.every(guessingSource/2, func(n int) { a.guess(guessers[n%guessingSource], a.Victim.Username) })
}
