#!/bin/sh
# Every page in Debian's Chromium. Installs the browser where it is missing, which needs root.
# Usage: scripts/test_browser.sh PYTHON [pytest arguments]; LIFTGATE_UPDATE_SCREENSHOTS=1 writes the references anew.
set -eu

python=$1
shift

if ! command -v chromium >/dev/null 2>&1; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "chromium is not installed, and only root on Debian can install it here: apt-get install chromium" >&2
        exit 2
    fi
    echo "== installing Debian's chromium"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq chromium fonts-liberation >/dev/null
fi

exec "$python" -m pytest -m browser tests/browser "$@"
