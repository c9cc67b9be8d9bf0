#!/bin/sh
# staticcheck with every check on, for the native build and for js/wasm, and govulncheck. Both are pinned in web/tool/lint.mod.
# What is excepted, and why:
#   ST1001 (dot imports) for web/view/vnode in web/view/ui: its staticcheck.conf says why.
set -u
cd "$(dirname "$0")/../.."
tool() {
  name=$1
  shift
  go tool -modfile=web/tool/lint.mod "$name" "$@"
}

case "${1:-}" in
  staticcheck) tool staticcheck -checks all ./... ;;
  staticcheck-wasm)
    # The tool itself is for this machine, what it looks at is not.
    program=$(tool -n staticcheck) || exit 1
    GOOS=js GOARCH=wasm "$program" -checks all ./wasm ./web/...
    ;;
  govulncheck)
    out=$(timeout 300 go tool -modfile=web/tool/lint.mod govulncheck ./... 2>&1)
    code=$?
    printf '%s\n' "$out"
    [ "$code" = 0 ] && exit 0
    # 3 says that something was found.
    [ "$code" != 3 ] && case $out in
      *vuln.go.dev*)
        echo "skipped: the database of known vulnerabilities cannot be reached"
        exit 0
        ;;
    esac
    exit 1
    ;;
  *)
    echo "say staticcheck, staticcheck-wasm or govulncheck" >&2
    exit 2
    ;;
esac
