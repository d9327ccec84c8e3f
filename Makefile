# The targets that contributors use most. .ci/run and .ci/nightly define the checks.

.PHONY: test test-all lint ci nightly fuzz bench generate release lines

test: ## all tests of all modules in go.work
	go test work

test-all: ## and those of the module conformance: official suites, web frameworks
	.ci/run tests conformance

lint: ## gofmt, and what go vet, staticcheck and arenavet find
	.ci/run format lint

ci: ## what must hold before a change lands
	.ci/run

nightly: ## what takes hours
	.ci/nightly

fuzz: ## each fuzz target for a moment
	.ci/run fuzz

bench: ## workloads on the heap and on arenas, side by side
	go run ./bench

generate: ## the generated code that is in git, and the tables of figures in pages
	go generate ./... ./arenavet/... ./contrib/arenaproto/...
	go test ./internal/tests/repository -run '^TestFigures$$' -update

release: ## what the release VERSION would change, and the commands for it
	go run ./internal/release $(VERSION)

lines: ## the lines of each module
	@go test -count=1 ./internal/tests/repository -run '^TestLines$$' -v
