# The machinery of .ci/run and .ci/nightly, which source it. They define `steps`, an array of
# "name:seconds:what it checks", and a function of each name. The seconds are the step's time on
# two idle cores with empty caches; a step that takes half as long again is marked in the summary,
# and one that takes five times as long is stopped.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The main version of Go, with which all figures are measured, and the oldest one, which each go.mod names.
export GOTOOLCHAIN=go1.27.4
export go126=go1.26.8

# A contributor's machine isn't changed unasked, but only if CI is true, or if CI is empty and there
# is no terminal. Steps see this variable, not their own standard input.
case ${CI:-} in
"") if [[ -t 0 ]]; then unattended=0; else unattended=1; fi ;;
0 | false | no) unattended=0 ;;
*) unattended=1 ;;
esac
export unattended

# apart runs a command in the module conformance, whose many requirements are kept out of go.work.
apart() { (cd conformance && GOWORK=off "$@"); }

# modules prints the directories of the modules in go.work and of conformance. To run a command
# in one of them by itself, set GOWORK=off.
modules() { go list -m -f '{{.Dir}}' && echo "$PWD/conformance"; }

# debian reports whether packages may be installed here. Then a missing tool is a failure.
debian() { [[ $unattended == 1 ]] && command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; }

# packages installs missing packages, given as COMMAND=PACKAGE: one of the commands is enough,
# as in chromium,google-chrome=chromium.
packages() {
	local want command missing=()
	for want in "$@"; do
		for command in $(tr , ' ' <<<"${want%%=*}"); do
			if command -v "$command" >/dev/null; then
				continue 2
			fi
		done
		missing+=("${want#*=}")
	done
	if ((${#missing[@]} == 0)); then
		return
	fi
	if ! debian; then
		echo "not here, and not installed (as root on Debian, CI=1 $script install does it): ${missing[*]}"
		return
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing[*]} >/dev/null
	echo "installed ${missing[*]}"
}

# without reports what a step lacks, and fails if the step install could have installed it.
without() {
	if debian; then
		echo "no $1 here: run $script install first"
		return 1
	fi
	echo "no $1 here: only vetted"
}

# retest tests the packages of the root module in another build, in the short form, in which tests don't run the go
# command, since that does the same in each build. The first argument is an expression of packages to leave out, besides
# those whose tests check the repository or the compiler; the others are for go test.
#
# Results don't come from the cache, which ignores the runtime's environment. Programs have symbols and debugging
# information, which go test leaves out. Without them reports take the names of variables from the source, and the tests
# of arenatest take three times as long with -asan. The step tests runs them without symbols, and "named" does so for
# other compilers.
retest() {
	local leave="/(internal/(release|tests/(repository|compiled))$1)\$"
	shift
	go list ./... | grep -vE "$leave" |
		xargs go test -count=1 -short -vet=off "-ldflags=-s=0 -w=0 -compressdwarf=0" "$@"
}

# fuzz_all runs each fuzz target of the root module with these flags of the test binary, which
# is built once for each package.
fuzz_all() {
	local dir package targets target out total=0 count
	dir=$(mktemp -d)
	for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
		grep -qs '^func Fuzz' "$(go list -f '{{.Dir}}' "$package")"/*_test.go || continue
		go test -c -fuzz . -o "$dir/tests" "$package"
		targets=$(cd "$dir" && ./tests -test.list '^Fuzz')
		for target in $targets; do
			out=$(fuzz_target "$dir" "$package" "$target" "$@") || {
				echo "$out"
				return 1
			}
			count=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' <<<"$out" | tail -1)
			total=$((total + count))
			printf '%-32s %10d executions\n' "$target" "$count"
		done
	done
	printf '%-32s %10d executions\n' total "$total"
	rm -r "$dir"
}

# Go sometimes reports the end of the time as a failure, without an input. Then it is retried.
fuzz_target() {
	local dir=$1 package=$2 target=$3 out
	shift 3
	for _ in 1 2 3; do
		if out=$(cd "$(go list -f '{{.Dir}}' "$package")" &&
			"$dir/tests" -test.run '^$' -test.fuzz "^$target\$" -test.fuzzcachedir "$dir/cache" -test.fuzzminimizetime 20x "$@" 2>&1); then
			echo "$out"
			return
		fi
		if ! grep -q '^ *context deadline exceeded' <<<"$out" || grep -q 'Failing input' <<<"$out"; then
			break
		fi
	done
	echo "$out"
	return 1
}

export -f apart modules debian packages without retest fuzz_all fuzz_target

# main runs the given steps, or all, goes on after a failure, and ends with one line for
# each. Each step runs in a shell of its own, so that set -e holds in it.
main() {
	local step name seconds what wanted names=() summary=() failed=0
	for step in "${steps[@]}"; do
		names+=("${step%%:*}")
	done
	for wanted in "$@"; do
		if [[ " ${names[*]} " != *" $wanted "* ]]; then
			echo "$script: no step $wanted; there are: ${names[*]}" >&2
			exit 2
		fi
	done
	export -f "${names[@]}"
	echo "$(go version); steps that need it fetch $go126"
	for step in "${steps[@]}"; do
		IFS=: read -r name seconds what <<<"$step"
		if (($# == 0)) || [[ " $* " == *" $name "* ]]; then
			one "$name" "$seconds" "$what"
		fi
	done
	printf '\n=== summary\n'
	printf '%s\n' "${summary[@]}"
	if ((failed > 0)); then
		echo "FAIL: $failed of ${#summary[@]} steps failed"
		exit 1
	fi
	echo "ok: all ${#summary[@]} steps passed in $SECONDS seconds"
}

# one runs a step. All steps together have the rest of the time until deadline.
one() {
	local name=$1 usual=$2 what=$3 start=$SECONDS status=0 limit took result
	limit=$((usual * 5 < deadline - SECONDS ? usual * 5 : deadline - SECONDS))
	printf '\n=== %s: %s\n' "$name" "$what"
	if ((limit <= 0)); then
		status=1
		result="FAIL (not run: the $deadline seconds for all steps are over)"
	else
		timeout --kill-after=10 "$limit" bash -euo pipefail -c "$name" || status=$?
		case $status in
		0) result=ok ;;
		124 | 137) result="FAIL (stopped after $limit seconds)" ;;
		*) result="FAIL (exit status $status)" ;;
		esac
	fi
	if ((status != 0)); then
		failed=$((failed + 1))
	fi
	took=$((SECONDS - start))
	if ((took > usual + usual / 2 + 5)); then
		result+=", but took $usual seconds when this was written: find out why"
	fi
	result=$(printf '%-12s %5d s  %s' "$name" "$took" "$result")
	echo "--- $result"
	summary+=("$result")
}
