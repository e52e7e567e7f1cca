#!/bin/sh
# Makes the data, the queries and the answers of TPC-DS for `junction-bench tpcds --data DIR`.
#
#   Benchmarks/Peers/tpcds.sh DIR [SCALE]
#
# SCALE is 1 unless said otherwise: 1.2 GB of CSV files; 0.01 is enough for a test. The Python environment that it needs
# stands beside the peers' ($JUNCTION_BENCH_TPCDS, or junction-bench/tpcds in the user's cache folder).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 1 ]; then
  echo "tpcds.sh: say the folder to write to" >&2
  exit 1
fi
folder=${JUNCTION_BENCH_TPCDS:-${XDG_CACHE_HOME:-$HOME/.cache}/junction-bench/tpcds}
python=${PYTHON:-python3.11}

if [ ! -x "$folder/bin/python3" ]; then
  echo "making $folder"
  "$python" -m venv "$folder"
fi
# Only whole wheels of exactly these versions with exactly these contents.
"$folder/bin/python3" -m pip install --disable-pip-version-check --quiet \
  --only-binary :all: --require-hashes --requirement "$here/tpcds-requirements.txt"
"$folder/bin/python3" "$here/tpcds.py" "$1" "${2:-1}"
