#!/bin/sh
# Builds the wheel, installs it into an empty environment and runs the command a stranger would run first.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
python=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$python" -m venv "$dir/build"
"$dir/build/bin/python" -m pip install --quiet build
"$dir/build/bin/python" -m build --quiet --wheel --outdir "$dir/dist" "$here" >/dev/null
"$python" -m venv "$dir/fresh"
"$dir/fresh/bin/python" -m pip install --quiet "$dir"/dist/*.whl
cd "$dir"
HOME="$dir" "$dir/fresh/bin/liftgate" --help >/dev/null
HOME="$dir" "$dir/fresh/bin/liftgate" demo --out "$dir/demo"
test -s "$dir/demo/audit.html"
echo "wheel: installs, runs the demo"
