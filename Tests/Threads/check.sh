#!/usr/bin/env bash
# Runs JunctionProof's threads under the thread sanitizer.
#
#   Tests/Threads/check.sh [SECONDS]
#
# 600 seconds unless told otherwise; the sanitizer's build takes some eight minutes more and goes to .build/threads. A lock that was
# waited for is told of by mutex.c, which the toolchain's clang compiles: the sanitizer takes all that it protects for a race
# otherwise. Ends with a status other than 0 after a race, or anything else that is wrong.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
cd "$tests/../.."
build=(--sanitize=thread --scratch-path .build/threads)
swift build "${build[@]}" --product JunctionProof
bin=$(swift build "${build[@]}" --show-bin-path)
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
"$clang" -O1 -fPIC -shared -o "$bin/mutex.so" "$tests/mutex.c"
TSAN_OPTIONS="exitcode=66 report_thread_leaks=0" LD_PRELOAD=$bin/mutex.so \
  "$bin/JunctionProof" threads --seconds "${1:-600}"
