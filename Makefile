# frontdesk: `make` lists what can be made.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.ONESHELL:
.DEFAULT_GOAL := help

GO        ?= go
BINARY    := .frontdesk/bin/frontdesk
TESTFLAGS ?=
PACKAGES  ?= $(shell nproc) # tested at once: each runs as many tests at once as Go has threads, beside Postgres and Chromium
LINTER    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Every Go file of the project. Hidden folders hold data, maybe another user's;
# Go passes them by, so those that hold a program are named. It passes by bench/ and
# client/go and docs/examples/follower, too, which are modules of their own.
TOOLS   = ./.ci/bench ./.ci/site ./.ci/measure ./.ci/moments ./.ci/mutate ./.ci/nightly ./.ci/proofs ./.ci/release ./.ci/tree ./.ci/words
SOURCES = $(shell find . \( -path './.?*' -o -name node_modules \) -prune -o -name '*.go' -print) $(wildcard $(addsuffix /*.go,$(TOOLS)))

# What a Debian machine lacks, as packages. The race detector needs a C compiler, browser
# tests a browser, the tests of alerts Prometheus's promtool, and units systemd's own check.
# The walks need Python, mypy, Node.js, curl, jq and openssl.
have     = $(shell command -v $(1) || true)
POSTGRES = $(if $(call have,initdb)$(wildcard /usr/lib/postgresql/*/bin/initdb),,postgresql)
COMPILER = $(if $(call have,gcc),,gcc libc6-dev)
BROWSER  = $(if $(shell grep chromedp/chromedp go.mod || true),$(if $(call have,chromium-headless-shell)$(if $(call have,apt-get),,$(call have,chromium)$(call have,google-chrome)),,chromium-headless-shell))
PYTHON   = $(if $(shell /usr/bin/python3 -c 'import jwt, cryptography' 2>/dev/null && echo yes || true),,python3-jwt python3-cryptography)
FRAMEWORKS = $(if $(shell /usr/bin/python3 -c 'import django, fastapi, uvicorn' 2>/dev/null && echo yes || true),,python3-django python3-fastapi python3-uvicorn)
KIT      = $(if $(shell /usr/bin/python3 -c 'import build, setuptools, wheel, venv, ensurepip' 2>/dev/null && echo yes || true),,python3-build python3-setuptools python3-wheel python3-venv)
MYPY     = $(if $(call have,mypy),,mypy)
NODE     = $(if $(call have,npm),,nodejs npm)
CURL     = $(if $(call have,curl),,curl ca-certificates)
SYSTEMD  = $(if $(call have,systemd-analyze),,systemd)
JQ       = $(if $(call have,jq),,jq)
POOLER   = $(if $(call have,pgbouncer)$(wildcard /usr/sbin/pgbouncer),,pgbouncer)
PROXY    = $(if $(call have,haproxy)$(wildcard /usr/sbin/haproxy),,haproxy)
NGINX    = $(if $(call have,nginx)$(wildcard /usr/sbin/nginx),,nginx-light)
PATRONI  = $(if $(call have,patroni),,patroni) $(if $(call have,etcd),,etcd-server) $(if $(call have,ip)$(wildcard /sbin/ip),,iproute2)
CONTAINERS = $(if $(call have,podman),,podman crun netavark aardvark-dns) $(if $(call have,podman-compose),,podman-compose) $(if $(call have,mmdebstrap),,mmdebstrap) $(if $(call have,iptables)$(wildcard /usr/sbin/iptables),,iptables)
PROMETHEUS = $(if $(call have,promtool),,prometheus)
EXPORTERS = $(foreach of,node postgres blackbox,$(if $(call have,prometheus-$(of)-exporter),,prometheus-$(of)-exporter))
OPENSSL  = $(if $(call have,openssl),,openssl)
MISSING  = $(strip $(POSTGRES) $(COMPILER) $(BROWSER) $(SYSTEMD) $(PROMETHEUS) $(PYTHON) $(FRAMEWORKS) $(KIT) $(MYPY) $(NODE) $(CURL) $(JQ) $(OPENSSL))

.PHONY: help run quick check test walks moments nightly prove growth fresh bench peers features site lint words measure mutate deps build images sandbox release kit

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

run: MISSING = $(strip $(POSTGRES) $(CURL))
run: deps build ## start the sandbox and say how to make the first call; Ctrl-C stops it (ARGS='--fresh' …)
	@exec $(BINARY) sandbox $(ARGS)

quick: ## formatting, build, and the tests of rules and commands: seconds, after each change of a rule
	@$(FORMATTED)
	$(GO) build ./...
	$(GO) test ./domain/... ./commands/...

# What starts whole programs, brokers or clusters of its own is left to `make test`.
check: MISSING = $(strip $(POSTGRES))
check: quick deps ## what quick does, read models and adapters on Postgres: a minute, for while you work
	@$(GO) test -short ./projections/... $$($(GO) list ./adapters/... ./cmd/frontdesk/cli/... | grep -v '/\(broker\|embedded\|postgrestest\|benchtest\|clitest\)$$')

# The packages whose tests take longest begin, so that no core waits for the last of them.
LONGEST = ./features/browser ./features ./cmd/frontdesk/app ./cmd/frontdesk/devkit/conformance ./cmd/frontdesk/alerting ./adapters/postgres/... ./adapters/staffweb/...

# Rules start no goroutine, and the tests of these other packages drive programs of their own:
# the race detector would find nothing.
UNRACED = ./cmd/frontdesk ./docs ./domain/... $(TOOLS)

# The program is built once, for the tests of all packages.
test walks nightly prove growth: export FRONTDESK_TEST_BINARY = $(abspath $(BINARY))

# The program is compiled and vetted for systems on which nothing runs it. Its tests are for Linux: an overlay leaves them out.
ELSEWHERE = overlay=$$(mktemp); trap "rm -f $$overlay" EXIT; \
	find adapters client cmd commands docs domain feed migrations projections -name '*_test.go' | jq -R '{key: ., value: ""}' | jq -s '{Replace: from_entries}' > $$overlay; \
	for system in windows/amd64 darwin/arm64; do \
		GOOS=$${system%/*} GOARCH=$${system\#*/} $(GO) vet -overlay $$overlay $$($(GO) list -deps ./cmd/frontdesk | grep ^frontdesk/); \
	done

# What go test would vet has been vetted.
test: MISSING = $(strip $(POSTGRES) $(COMPILER) $(BROWSER) $(SYSTEMD) $(PROMETHEUS) $(JQ))
test: deps build ## everything a change must pass; under the race detector where something can race
	@$(GO) vet -tags prove,walk ./... $(TOOLS)
	$(ELSEWHERE)
	raced=$$($(GO) list $(LONGEST) ./... | grep -vxF "$$($(GO) list $(UNRACED))")
	failed=
	$(GO) test -race -vet=off -p $(PACKAGES) -timeout 40m $(TESTFLAGS) $$raced || failed=yes
	$(GO) test -vet=off -p $(PACKAGES) -timeout 40m $(TESTFLAGS) $(UNRACED) || failed=yes
	[ -z "$$failed" ]

# What npm fetches is kept in .frontdesk/npm.
walks: deps build ## what pages tell operators and integrators to type, and the clients in three languages (from npm, once)
	@packages=$$(dirname $$(grep -rl --include='*_test.go' '^//go:build walk$$' cmd docs) | sort -u | sed 's,^,./,')
	$(GO) test -tags walk -run '^TestWalk' -vet=off -p $(PACKAGES) -timeout 40m $(TESTFLAGS) $$packages

# Browsers keep the machine's time, and refuse what is to hold later.
moments: deps ## the tests at noon, on a Sunday night, on 29 February, when the clocks change, and the like (MOMENT=leap-day for one, ARGS=./domain/... for some)
	@$(GO) build -o .frontdesk/bin/moments ./.ci/moments
	exec .frontdesk/bin/moments -moment '$(MOMENT)' -p $(PACKAGES) $(or $(ARGS),$$($(GO) list ./... | grep -v '^frontdesk/features/browser$$') $(filter-out ./.ci/moments,$(TOOLS)))

features: deps ## the specification in Gherkin, against the real program
	@$(GO) test ./features/...

site: ## the documentation with a search, and the reference of the API, as static pages in .frontdesk/site (ARGS=FOLDER)
	@$(GO) run ./.ci/site $(or $(ARGS),.frontdesk/site)

nightly prove: MISSING := $(strip $(MISSING) $(POOLER) $(PROXY) $(NGINX) $(PATRONI) $(CONTAINERS) $(EXPORTERS))
nightly: deps build ## every proof with few of everything, the longest unrun first, in docs/contribute/nightly.md: an hour and a half, or BUDGET=30m; RUN=Growth runs some
	@$(NIGHTLY) -budget $(or $(BUDGET),0) -run '$(RUN)'

prove: deps build ## the same with as many as a release wants (RUN=Growth: some of them): takes hours and 10 GB of disk
	@$(NIGHTLY) -long -run '$(RUN)'

growth: MISSING = $(strip $(POSTGRES))
growth: deps build ## the bytes that calls, webhooks and refusals add to each disk, for 1, 50 and 500 practices: ten minutes
	@$(GO) test -tags prove -run '^TestProveWhatFillsTheDisk' -count 1 -v ./cmd/frontdesk

# Signals reach a program that make has started, not one that `go run` has.
NIGHTLY = $(GO) build -o .frontdesk/bin/nightly ./.ci/nightly && exec .frontdesk/bin/nightly

# Everything in them is from this clone, from the Go modules that it names, and from Debian:
# no image comes from a registry. One base is kept until it is removed with `podman rmi`.
# Docker's format has health checks, which the other one has not.
IMAGES    := .frontdesk/images
BASE      := localhost/frontdesk-debian
DEBIAN    := --variant=minbase --include=ca-certificates $(foreach dir,doc man locale,--dpkgopt='path-exclude=/usr/share/$(dir)/*') bookworm
BUILD     := podman build --quiet --format docker --network host
BESIDE    := postgres setup etcd nats proxy
MAKE_BASE  = mkdir -p $(IMAGES); podman image exists $(BASE) || mmdebstrap --quiet $(DEBIAN) - | podman import --quiet - $(BASE)
COMPILE    = CGO_ENABLED=0 $(GO) build -trimpath -ldflags=-s -o $(IMAGES)/
images: MISSING = $(strip $(CONTAINERS))
images: deps ## the images of compose.yaml, with podman
	@$(MAKE_BASE)
	$(COMPILE) ./cmd/frontdesk github.com/nats-io/nats-server/v2
	$(BUILD) --tag localhost/frontdesk .
	for image in $(BESIDE); do
		$(BUILD) --tag localhost/frontdesk-$$image --target $$image --file docs/operate/containers/Dockerfile .
	done

SANDBOX := localhost/frontdesk-sandbox
sandbox: MISSING = $(strip $(CONTAINERS))
sandbox: deps ## the image of the sandbox with Postgres in it, for the services of a CI, with podman
	@$(MAKE_BASE)
	$(COMPILE) ./cmd/frontdesk
	$(BUILD) --tag $(SANDBOX) --tag $(SANDBOX):$$(cat VERSION) --file docs/integrate/sandbox.Dockerfile .

release: ## the archive that operators install from, if all proofs hold, in .frontdesk/release (ARGS='-key FILE -arch arm64 -out FOLDER -unproved')
	@$(GO) run ./.ci/release $(ARGS)

# Other hosts take the place of the reserved domain, in every file of the packages.
HOST := frontdesk.example
kit: MISSING = $(strip $(NODE) $(KIT))
kit: deps ## what integrators download: packages, and the program for six platforms, in .frontdesk/kit (HOST=code.example.org publishes them)
	@rm -rf .frontdesk/kit
	$(GO) run ./.ci/release -kit -out .frontdesk/kit -host '$(HOST)' $(ARGS)

fresh: ## both commands of the README on a bare Debian that it builds, before a release (as root, with apt)
	@exec .ci/fresh

# The collector is set as the program sets it (cmd/frontdesk/collector.go).
# What engines are compared by: a quarter of an hour on two cores.
ROWS  = ^Benchmark(Append|AppendMany|Call|Read|Lag|Replay|Delivery|Rights)$$
BENCH = $(ROWS)
TURNS = 5

bench: deps ## benchmarks as one table, also in .frontdesk/bench.md: ratios to floors of the same run hold on any machine (SINCE=<commit>: in turns with that commit's; BENCH=Append chooses some, TURNS=5)
	@files=$$(grep -l '^func Benchmark' $(filter-out ./bench/%,$(SOURCES)))
	packages=$$(dirname $$files | sort -u)
	if [ -n '$(SINCE)' ]; then
		exec $(GO) run ./.ci/bench -out .frontdesk/since.md -since '$(SINCE)' -bench '$(BENCH)' -turns '$(TURNS)' $$packages
	fi
	GOGC=400 $(GO) test -run '^$$' -bench . -timeout 30m $$packages | $(GO) run ./.ci/bench

peers: deps ## the log beside other stores of events, as a table, also in .frontdesk/peers.md (fetches them with npm)
	@npm --prefix bench/peers/node ci
	$(GO) -C bench/peers test -run '^$$' -bench . -benchtime 1x -timeout 1h . | $(GO) run ./.ci/bench -out .frontdesk/peers.md

# A recipe that fails if a file is not formatted.
FORMATTED = unformatted=$$(gofmt -l $(SOURCES)); [ -z "$$unformatted" ] || { echo "Not formatted (gofmt -w fixes it):" $$unformatted; exit 1; }

lint: ## formatting, vet, words to replace, the linters of .golangci.yml, tidy go.mods, Redocly and Spectral on openapi.json (from npm), Kubernetes' types on its manifests
	@$(FORMATTED)
	$(GO) vet -tags prove,walk ./... $(TOOLS)
	$(GO) run ./.ci/words
	$(GO) run $(LINTER) run ./... $(TOOLS)
	$(GO) mod tidy -diff
	for module in bench/collector bench/peers client/go docs/examples/follower .ci/kubernetes; do
		$(GO) -C $$module run $(LINTER) run ./...
		$(GO) -C $$module mod tidy -diff
	done
	$(GO) -C docs/testdata/openapi/go mod tidy -diff
	$(GO) test -tags prove -run '^TestProve(OpenAPILinters|Kubernetes)' ./docs

words: ## record fewer words to replace (ARGS=-force: also more, after a merge or a move; ARGS=PAGE lists them)
	@$(GO) run ./.ci/words $(or $(ARGS),-update)

measure: ## the size, shape and language of the Go code, and the style of the pages; SINCE=<commit> compares that commit with it
	@$(GO) run ./.ci/measure $(if $(SINCE),--since '$(SINCE)')
	@$(GO) run ./.ci/words -style

mutate: deps ## change the program in 20 places, one at a time, and report which changes no test notices (ARGS='-n 20 -seed 7 ./commands')
	@$(GO) run ./.ci/mutate $(or $(ARGS),./domain/... ./commands)

build: # the binary that `make run` starts, and `make test` hands to all packages
	@mkdir -p $(dir $(BINARY))
	$(GO) build -o $(BINARY) ./cmd/frontdesk

# Debian's postgresql makes a cluster on installation, and etcd, HAProxy and others start
# a server. Nobody here asked for one, so two files say no, for as long as the installation
# takes, and what it has enabled for the next start of the machine is disabled. Where the
# machine has a policy of its own for servers, that is kept.
NO_CLUSTER := /etc/postgresql-common/createcluster.d/frontdesk.conf
NO_SERVER  := /usr/sbin/policy-rc.d
ENABLED    := /etc/systemd/system -type l -newer $(NO_CLUSTER) -regextype egrep -regex '.*/(etcd|haproxy|nginx|patroni|pgbouncer|prometheus.*).service'
APT_GET    := DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120

deps: ## install what is missing for the above; says what first (as root, or with SUDO=sudo)
	@missing="$(MISSING)"
	if [ -z "$$missing" ]; then exit 0; fi
	if ! command -v apt-get >/dev/null; then echo "Please install: $$missing"; exit 1; fi
	if [ "$$(id -u)" != 0 ]; then
		if [ -n "$(SUDO)" ]; then exec $(SUDO) $(MAKE) deps SUDO= MISSING="$$missing"; fi
		echo "This needs $$missing. To install it: sudo make deps MISSING='$$missing'"
		exit 1
	fi
	echo "Installing with apt-get: $$missing"
	mkdir -p $(dir $(NO_CLUSTER))
	ours='$(NO_CLUSTER)'
	trap 'rm -f $$ours' EXIT
	echo 'create_main_cluster = false' > $(NO_CLUSTER)
	if [ ! -e $(NO_SERVER) ]; then
		ours+=' $(NO_SERVER)'
		printf '#!/bin/sh\nexit 101\n' > $(NO_SERVER)
		chmod 755 $(NO_SERVER)
	fi
	$(APT_GET) update
	$(APT_GET) install --no-install-recommends $$missing
	if [ -d /etc/systemd/system ]; then find $(ENABLED) -delete; fi
