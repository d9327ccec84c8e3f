# The targets that contributors use most. .ci/run and .ci/nightly define the checks.

.PHONY: test lint ci nightly fuzz bench generate lines

test: ## all tests of all modules in go.work
	go test work

lint: ## format, vet, staticcheck, and this project's own analyzers
	.ci/run format vet lint arenavet

ci: ## what must hold before a change lands
	.ci/run

nightly: ## what takes hours
	.ci/nightly

fuzz: ## each fuzz target for a few seconds
	.ci/run fuzz

bench: ## workloads on the heap and on arenas, side by side
	go run ./bench

generate: ## the generated code that is in git
	go generate ./... ./arenavet/... ./contrib/arenaproto/...

lines: ## the lines of each module
	@go test -count=1 ./internal/house -run '^TestLines$$' -v
