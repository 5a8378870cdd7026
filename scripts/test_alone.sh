#!/bin/sh
# Writes a certificate with the installed package, then checks it with a copied checker.py and a bare Python.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
with_package=$1
bare=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$with_package" - "$dir" <<'PY'
import sys
from pathlib import Path

import liftgate as lg

joint = lg.Joint.from_counts([[3, 1], [1, 3]])
audit = lg.audit(joint, budget=lg.Budget.between("1/2", "3/2"))
assert audit.certificate is not None
text = audit.certificate.to_json()
Path(sys.argv[1], "true.json").write_text(text)
Path(sys.argv[1], "lie.json").write_text(text.replace("3/2", "7/5"))
PY
cp "$here/src/liftgate/checker.py" "$dir/checker.py"
cd "$dir"
env -i "$(command -v "$bare")" -I -S checker.py true.json
if env -i "$(command -v "$bare")" -I -S checker.py lie.json; then
  echo "a false certificate was accepted" >&2
  exit 1
fi
echo "checker alone: the truth accepted, the lie refused"
