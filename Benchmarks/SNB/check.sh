#!/bin/sh
# Makes a tiny social network, asks PostgreSQL for the answers, and compares Junction's; ends with status 1 where one is wrong.
#
#   Benchmarks/SNB/check.sh [PSQL]
#
# PSQL is how PostgreSQL's client is started ("psql"). Python needs numpy; $PYTHON says which Python.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
bench=${JUNCTION_BENCH:-$here/../../.build/release/junction-bench}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

"$python" "$here/snb.py" make "$folder" --persons 150
"$python" "$here/snb.py" answer "$folder" --psql "${1:-psql}"
"$bench" snb --data "$folder" --seconds 0.05
