#!/bin/sh
# All tests, each runner with its own summary. Every part runs even where an earlier one failed; the exit says whether one did.
set -u
cd "$(dirname "$0")/../.."
failed=""

part() {
  name=$1
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then
    printf '== %s: ok\n' "$name"
  else
    printf '== %s: FAILED\n' "$name"
    failed="$failed $name"
  fi
}

formatted() {
  bad=$(gofmt -l agui state web/*.go web/batch web/bench web/demo web/serve web/session web/stream web/threads web/tool web/view web/markdown wasm 2>/dev/null)
  [ -z "$bad" ] || { printf 'gofmt would change:\n%s\n' "$bad"; return 1; }
}

# The pure packages have no goroutines of their own; this holds them to it where callers have some.
race() {
  if ! command -v "$(go env CC)" >/dev/null; then
    echo "skipped: -race needs a C compiler, and $(go env CC) is not there"
    return 0
  fi
  # Left out: the long random tests, which have one thread and would take ten times as long.
  CGO_ENABLED=1 go test -race -skip 'TestStoreAgainstMirror|TestPatchAgainstModel|TestLookFirst' ./agui/... ./state/... ./web/stream ./web/batch ./web/session ./web/threads ./web/markdown ./web/view/model ./web/view/ui
}

part gofmt formatted
part vet go vet ./...
part "vet for the browser" env GOOS=js GOARCH=wasm go vet ./wasm ./web/...
part "vet of the failing build" env GOOS=js GOARCH=wasm go vet -tags provoke ./web
part "native tests, with coverage" go test -cover ./...
part "native tests, with -race" race
part staticcheck sh web/test/lint.sh staticcheck
part "staticcheck for the browser" sh web/test/lint.sh staticcheck-wasm
part govulncheck sh web/test/lint.sh govulncheck
part build go run ./web/tool build
part types web/node_modules/.bin/tsc --project web/js/tsconfig.json
part "types of the page" web/node_modules/.bin/tsc --project web/page/tsconfig.json
part "types for Node.js" web/node_modules/.bin/tsc --project web/js/tsconfig.node.json
part "types of the examples" web/node_modules/.bin/tsc --project web/examples/tsconfig.json
part "types of the tests" web/node_modules/.bin/tsc --project web/test/tsconfig.json
# shellcheck disable=SC2046
part "script tests" node --test --test-reporter=spec $(find web/js/test -name '*.test.js' 2>/dev/null)
part "browser tests" node --test --test-reporter=spec --test-concurrency=1 $(find web/test -name '*.test.js' -not -path '*/node_modules/*' | sort)

if [ -n "$failed" ]; then
  printf '\nfailed:%s\n' "$failed"
  exit 1
fi
printf '\nall passed\n'
