#!/usr/bin/env bash
# Builds a package of somebody else that depends on this checkout, runs it and changes a line of it.
#
#   Tests/Client/check.sh [FOLDER]
#
# The package is made anew in a folder for temporary files, or in FOLDER, which is kept: `School` goes from nothing to
# nested structs in twenty lines with Junction alone, `Diary` uses JunctionFoundation as well. Warnings in them are
# errors. They are built for debugging, for release, and for release with the standard library linked statically; each
# time what they print is compared with expected.txt. After the first a line is changed, and the time of the build that follows is
# printed: no more than 5 seconds on two cores that do nothing else. Ends with a status other than 0 if anything differs.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
if [ $# -gt 0 ]; then
  folder=$1
  rm -rf "$folder/Sources"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/Sources/School" "$folder/Sources/Diary"
cp "$tests/School.swift" "$folder/Sources/School/main.swift"
cp "$tests/Diary.swift" "$folder/Sources/Diary/Diary.swift"
cat > "$folder/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let junction = Target.Dependency.product(name: "Junction", package: "Junction")
let foundation = Target.Dependency.product(name: "JunctionFoundation", package: "Junction")
let package = Package(
  name: "Client",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "Junction", path: "$root")],
  targets: [
    .executableTarget(name: "School", dependencies: [junction], swiftSettings: settings),
    .executableTarget(name: "Diary", dependencies: [junction, foundation], swiftSettings: settings),
  ])
END
cd "$folder"
status=0

# Builds with the options given, and compares what the programs print.
check() {
  local start=$SECONDS bin
  swift build "$@" > build.log 2>&1 || {
    tail -40 build.log
    echo "swift build $*: failed"
    exit 1
  }
  # What the linker says of the toolchain's own libraries is not the package's.
  if grep "warning:" build.log | grep -v "/swift_static/"; then status=1; fi
  echo "swift build $*: $((SECONDS - start)) s"
  bin=$(swift build "$@" --show-bin-path)
  for target in School Diary; do "$bin/$target"; done | diff "$tests/expected.txt" - || status=1
}

check
printf '\nprint("changed")\n' >> Sources/School/main.swift
start=$(date +%s%N)
swift build > build.log
end=$(date +%s%N)
"$(swift build --show-bin-path)/School" | tail -1 | grep -qx changed || status=1
echo "after one line more: $(((end - start) / 1000000)) ms"
cp "$tests/School.swift" Sources/School/main.swift
check -c release
check -c release --static-swift-stdlib
exit $status
