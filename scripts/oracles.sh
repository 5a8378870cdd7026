#!/bin/sh
# Compares with peer libraries, each in an environment of its own: .venv-oracle-NAME runs tests/oracles/test_*_NAME.py.
# Usage: oracles.sh PYTHON [NAME ...]; without names, every peer that has a comparison.
set -eu
cd "$(dirname "$0")/.."
python=$1
shift
peers="dit qif pycanon pot ortools dp_accounting fairlearn cdd torch"

packages() {
  case $1 in
    dit) echo "dit" ;;
    qif) echo "qif" ;;
    pycanon) echo "pycanon" ;;
    pot) echo "POT" ;;
    ortools) echo "ortools" ;;
    dp_accounting) echo "dp-accounting" ;;
    fairlearn) echo "fairlearn" ;;
    torch) echo "torch pandas" ;;
    cdd) echo "pycddlib-standalone>=3" ;;
    *) echo "oracles: $1 is not a known peer; use one of $peers" >&2; exit 2 ;;
  esac
}

[ $# -gt 0 ] || set -- $peers
failed=""
ran=0
for name in "$@"; do
  wanted=$(packages "$name")
  files=$(find tests/oracles -name "test_*_$name.py" 2>/dev/null | sort)
  if [ -z "$files" ]; then
    echo "== $name: no comparison"
    continue
  fi
  venv=.venv-oracle-$name
  if [ ! -e "$venv/.stamp" ]; then
    echo "== making $venv (once)"
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet -e . $wanted "pytest>=8.2" "hypothesis>=6.100" "sybil>=6.1"
    touch "$venv/.stamp"
  fi
  echo "== $name"
  ran=$((ran + 1))
  # shellcheck disable=SC2086
  "$venv/bin/python" -m pytest -m oracle $files || failed="$failed $name"
done
if [ -n "$failed" ]; then
  echo "oracles: differences from$failed" >&2
  exit 1
fi
echo "oracles: $ran peers agree"
