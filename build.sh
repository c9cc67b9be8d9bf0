#!/bin/sh
# Builds, serves, tests and measures aguiwasm. Go alone is enough for build, serve and size;
# test, bench and soak also need Node.js 20 or later, and fetch the browsers with apt-get where there are none. bench
# and soak take ENGINE=chromium, firefox or webkit.
#
#   ./build.sh [build]        make dist/
#   ./build.sh serve [port]   build, then serve dist/ and a demo agent on 127.0.0.1 (port 8080)
#   ./build.sh test           vet, native tests, type checks, tests in a browser; "test quick" is what takes minutes
#   ./build.sh interop        talk to a CopilotKit runtime and TanStack AI's durable streams, which npm brings (300 MB)
#   ./build.sh bench          compare with @ag-ui/client in a browser; "bench slow" does so on a slow device and network
#   ./build.sh soak [minutes] mixed traffic with random faults from the server (30 minutes)
#   ./build.sh size           what the files weigh, and what each module adds
set -eu
cd "$(dirname "$0")"

node_modules() {
  # npm writes this file last; with a newer lock the packages are another set.
  [ web/node_modules/.package-lock.json -nt web/package-lock.json ] && return
  (cd web && npm ci --no-audit --no-fund --loglevel=error)
}

chromium() {
  [ -x "${CHROMIUM:-/usr/bin/chromium}" ] && return
  echo "installing Chromium"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  $sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null
}

# Firefox and WebKit, which the tests also take. A distribution may lack one: all.sh skips it then, but not in CI.
other_engines() {
  wanted=""
  command -v "${FIREFOX:-firefox-esr}" >/dev/null || command -v firefox >/dev/null || wanted="firefox-esr"
  command -v WebKitWebDriver >/dev/null || wanted="$wanted webkit2gtk-driver"
  command -v Xvfb >/dev/null || wanted="$wanted xvfb"
  [ -n "$wanted" ] || return 0
  echo "installing$wanted"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq || true
  for package in $wanted; do
    $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "$package cannot be installed"
  done
}

# The browser that ENGINE names.
engine() {
  case "${ENGINE:-chromium}" in
    chromium) chromium ;;
    *) other_engines ;;
  esac
}

case "${1:-build}" in
  build) go run ./web/dev/tool build ;;
  serve)
    go run ./web/dev/tool build
    go run ./web/dev/serve -port "${2:-8080}"
    ;;
  test)
    node_modules
    chromium
    [ "${2:-}" = quick ] || other_engines
    shift
    exec sh web/dev/test/all.sh "$@"
    ;;
  interop)
    go run ./web/dev/tool build -skip-compress
    node_modules
    engine
    exec node --test --test-reporter=spec web/dev/test/peers/peers.js
    ;;
  bench)
    go run ./web/dev/tool build
    node_modules
    engine
    shift
    if [ "${1:-}" = slow ]; then
      shift
      exec node web/dev/bench/slow.js "$@"
    fi
    exec node web/dev/bench/bench.js "$@"
    ;;
  soak)
    go run ./web/dev/tool build
    node_modules
    engine
    shift
    exec node web/dev/test/soak/run.js "$@"
    ;;
  size) go run ./web/dev/tool size ;;
  *)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
