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
  bad=$(gofmt -l agui state wasm web/dev 2>/dev/null)
  [ -z "$bad" ] || { printf 'gofmt would change:\n%s\n' "$bad"; return 1; }
}

# The pure packages have no goroutines of their own; this holds them to it where callers have some.
race() {
  if ! command -v "$(go env CC)" >/dev/null; then
    echo "skipped: -race needs a C compiler, and $(go env CC) is not there"
    return 0
  fi
  # Left out: the long random tests, which have one thread and would take ten times as long.
  CGO_ENABLED=1 go test -race -skip 'TestStoreAgainstMirror|TestPatchAgainstModel|TestLookFirst' ./agui/... ./state/... ./wasm/batch ./wasm/session ./wasm/threads ./wasm/view/markdown ./wasm/view/model ./wasm/view/ui
}

part gofmt formatted
part vet go vet ./...
part "vet for the browser" env GOOS=js GOARCH=wasm go vet ./wasm/...
part "vet of the failing build" env GOOS=js GOARCH=wasm go vet -tags provoke ./wasm
part "native tests, with coverage" go test -cover ./...
part "native tests, with -race" race
part staticcheck sh web/dev/test/lint.sh staticcheck
part "staticcheck for the browser" sh web/dev/test/lint.sh staticcheck-wasm
part govulncheck sh web/dev/test/lint.sh govulncheck
part build go run ./web/dev/tool build
part types web/node_modules/.bin/tsc --project web/js/tsconfig.json
part "types of the page" web/node_modules/.bin/tsc --project web/page/tsconfig.json
part "types for Node.js" web/node_modules/.bin/tsc --project web/js/tsconfig.node.json
part "types of the examples" web/node_modules/.bin/tsc --project web/examples/tsconfig.json
part "types of the tests" web/node_modules/.bin/tsc --project web/dev/test/tsconfig.json
# shellcheck disable=SC2046
part "script tests" node --test --test-reporter=spec $(find web/dev/test/script -name '*.test.js' 2>/dev/null)
part "browser tests" node --test --test-reporter=spec --test-concurrency=1 $(find web/dev/test -name '*.test.js' -not -path '*/script/*' | sort)

if [ -n "$failed" ]; then
  printf '\nfailed:%s\n' "$failed"
  exit 1
fi
printf '\nall passed\n'
