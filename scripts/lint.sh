#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rules of the house that a compiler does not hold: which room may know which, and what every file
# opens with. Prints each breach as file:line and fails if there is one.
set -u
cd "$(dirname "$0")/.."
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT

# must_not_include ROOM PATTERN WHY
must_not_include() {
  scripts/sources.sh "$1" "$1/*" | xargs -r grep -nHE "#include +[<\"]($2)" | sed "s|\$|    # $3|" >>"$breaches"
}

for room in src/plan src/report include/stowage/plan.h tools; do
  must_not_include "$room" '(mlir|llvm)(-c)?/' 'knows no MLIR'
done
must_not_include src/plan 'report/|ir/|bridge/|arena/' 'plan is at the bottom'
must_not_include src/report 'ir/|bridge/|arena/|lifetime/|taskflow/' 'report knows plan only'
must_not_include src/bridge 'ir/|arena/|lifetime/|taskflow/|report/|driver/' 'bridge is at the bottom'
must_not_include src/ir 'arena/|dealloc/|lifetime/|taskflow/|report/|driver/' 'ir is below the passes'
must_not_include src/arena 'driver/|lifetime/|taskflow/' 'arena is below the driver'
must_not_include src/check 'driver/|arena/|dealloc/|lifetime/|taskflow/|report/|ir/(buffers|calls|dealloc|exclusive|flow|graph|life|names|ranges|regions|spans)' 'the checker shares nothing with the planner'
must_not_include src/dealloc 'arena/|lifetime/|taskflow/|report/|driver/' 'dealloc stands beside the other passes'
must_not_include src/lifetime 'driver/|arena/|taskflow/' 'lifetime is below the driver'
must_not_include src/taskflow 'driver/|arena/|lifetime/' 'taskflow is below the driver'
for room in src/ir src/arena src/check src/dealloc 'src/lifetime/*.c' 'src/taskflow/*.c' 'src/taskflow/[a-z]*.h'; do
  must_not_include "$room" 'mlir/|llvm/' 'C asks the bridge, not C++ headers'
done

scripts/sources.sh '*.cpp' '*.cc' | grep -vE '^(src/(bridge|driver|lifetime|taskflow)|test|examples)/' |
  sed 's|$|: C++ outside its rooms|' >>"$breaches"

for file in $(scripts/sources.sh '*.c' '*.h' '*.cpp' '*.py' '*.sh' '*.td' Makefile .ci/run); do
  head -12 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' ||
    echo "$file:1: no licence header" >>"$breaches"
done

scripts/sources.sh 'src/*.c' 'src/*.cpp' 'tools/*.c' | xargs wc -l |
  awk '$2 != "total" && $1 > 900 {print $2 ": " $1 " lines: is there a second idea inside?"}' >>"$breaches"

if [ -s "$breaches" ]; then
  cat "$breaches"
  exit 1
fi
