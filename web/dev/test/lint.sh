#!/bin/sh
# staticcheck with every check on, for the native build and for js/wasm, and govulncheck. Both are pinned in
# web/dev/tool/lint.mod.
# What is excepted (each with its reason):
#   ST1001 (dot imports) for wasm/view/vnode in wasm/view/ui: its staticcheck.conf says why.
#   U1000 (unused) in wasm/bridge_js.go: JavaScript calls what it exports.
set -u
cd "$(dirname "$0")/../../.."
tool() {
  name=$1
  shift
  go tool -modfile=web/dev/tool/lint.mod "$name" "$@"
}

# Runs govulncheck. Its code 3 says that something was found.
vulnerable() {
  out=$(timeout 300 "$@" 2>&1)
  code=$?
  printf '%s\n' "$out"
  [ "$code" = 0 ] && return 0
  [ "$code" != 3 ] && case $out in
    *"fetching vulnerabilities"*)
      echo "skipped: the database of known vulnerabilities cannot be reached"
      return 0
      ;;
  esac
  return 1
}

case "${1:-}" in
  staticcheck) tool staticcheck -checks all ./... ;;
  staticcheck-wasm)
    # The tool itself is for this machine, what it looks at is not.
    program=$(tool -n staticcheck) || exit 1
    GOOS=js GOARCH=wasm "$program" -checks all ./wasm/...
    ;;
  govulncheck)
    program=$(tool -n govulncheck) || exit 1
    vulnerable "$program" ./... && GOOS=js GOARCH=wasm vulnerable "$program" ./wasm
    ;;
  *)
    echo "say staticcheck, staticcheck-wasm or govulncheck" >&2
    exit 2
    ;;
esac
