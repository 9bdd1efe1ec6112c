SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Modules that are built, vetted, tested and linted, each alone: what go.work would mix in, a user does not have.
# tools is not among them: it holds no code of ours.
export GOWORK := off
MODULES := . sdk server server/natskv server/servertest examples examples/frameworks examples/observability bench peers generator/testdata
TOOLS   := $(CURDIR)/.tools
LINT    := $(TOOLS)/golangci-lint

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## 200 orders and payments over a network that loses answers, beside plain HTTP and a naive retry loop
	@cd examples && go run ./demo

.PHONY: generate
generate: ## Make sdk/ from openapi.yaml again
	@go run ./cmd/retrysafe generate --config retrysafe.yaml

.PHONY: check-generate
check-generate: ## Fail when sdk/ is not what openapi.yaml gives
	@go run ./cmd/retrysafe generate --config retrysafe.yaml --check

.PHONY: test
test: ## Run all tests of all modules
	@for m in $(MODULES); do (cd $$m && go test ./...); done

.PHONY: race
race: ## Run all tests under the race detector
	@for m in $(MODULES); do (cd $$m && go test -race ./...); done

.PHONY: vet
vet: ## go vet in all modules
	@for m in $(MODULES); do (cd $$m && go vet ./...); done

$(LINT): tools/go.mod tools/go.sum
	@mkdir -p $(TOOLS)
	@cd tools && go build -o $(TOOLS)/ tool

.PHONY: tools
tools: $(LINT) ## Build the pinned linters into .tools

.PHONY: lint
lint: $(LINT) ## Run golangci-lint in all modules, generated code included
	@for m in $(MODULES); do (cd $$m && $(LINT) run --config $(CURDIR)/.golangci.yml ./...); done

.PHONY: tidy-check
tidy-check: ## Fail when a go.mod or go.sum is not tidy
	@for m in $(MODULES); do (cd $$m && go mod tidy -diff); done

.PHONY: setup
setup: ## Install what the tests need and is missing (PostgreSQL; apt-get as root), or say what to install
	@scripts/setup.sh

.PHONY: bench
bench: ## Cost of a call beside net/http and the peers, and the simulation of budgets
	@cd bench && go run ./client && go run ./simulation

.PHONY: bench-smoke
bench-smoke: ## Every benchmark one time, so that none can rot
	@cd bench && go test -run '^$$' -bench . -benchtime 1x ./...

.PHONY: bench-server
bench-server: ## What the server half costs, on PostgreSQL servers of its own; a quarter of an hour
	@cd server/servertest && go run ./bench -rounds 20 -growth 10000000 -docs ../../docs/server.md

.PHONY: bench-generate
bench-generate: ## Generation beside oapi-codegen and ogen on real documents, and its growth
	@cd bench && go run ./generate -growth -markdown ../docs/generate.md

.PHONY: specs
specs: ## Generate, build, vet and staticcheck an SDK for each real document
	@cd bench && go run ./specs -markdown ../docs/specs.md

.PHONY: peers
peers: ## Hold generated SDKs against the examples of real documents, Prism (npm) and stripe-mock
	@cd peers && npm install --silent --no-package-lock --no-fund --no-audit
	go run ./roundtrip -markdown ../docs/peers.md
	go run ./prism -markdown ../docs/peers.md
	go run ./stripemock -markdown ../docs/peers.md

.PHONY: gates
gates: ## Rivals, kills and pauses of the server half at full length
	@cd server/servertest && GATES=full go test ./gates -v -timeout 60m

.PHONY: check
check: setup tidy-check check-generate lint race ## Everything that CI runs
	@echo "check passed"
