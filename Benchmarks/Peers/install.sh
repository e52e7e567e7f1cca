#!/bin/sh
# Installs the peers that Junction is measured against into a Python environment of their own.
#
#   Benchmarks/Peers/install.sh [FOLDER]
#
# FOLDER is where junction-bench looks unless told otherwise by --peers-env: $JUNCTION_BENCH_PEERS,
# or junction-bench/peers in the user's cache folder. Deleting the folder takes everything away again.
# Python 3.11 is needed (PYTHON=/path/to/python3.11 names another than the one on the path).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-${JUNCTION_BENCH_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/junction-bench/peers}}
python=${PYTHON:-python3.11}

if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
  echo "install.sh: \"$python\" is not Python 3.11, for which the versions are pinned;" >&2
  echo "say PYTHON=/path/to/python3.11 $0" >&2
  exit 1
fi
if [ ! -x "$folder/bin/python3" ]; then
  echo "making $folder"
  "$python" -m venv "$folder"
fi
# Only whole wheels of exactly these versions with exactly these contents.
"$folder/bin/python3" -m pip install --disable-pip-version-check --quiet \
  --only-binary :all: --require-hashes --requirement "$here/requirements.txt"
"$folder/bin/python3" -m pip list --disable-pip-version-check --format columns |
  grep -E '^(duckdb|ladybug|tableauhyperapi|tpchgen-cli) '
echo "installed in $folder"
