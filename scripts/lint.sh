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

# The table of components in docs/ARCHITECTURE.md says what each may include: `mlir` is mlir/ and llvm/,
# a component, or a floor of one, all that is in it.
components=$(sed -n 's/^| `\([^`]*\)` |.*| \([^|]*\) |$/\1: \2/p' docs/ARCHITECTURE.md)
[ -n "$components" ] || echo 'docs/ARCHITECTURE.md:1: no table of components' >>"$breaches"
includes='^ *#include *[<"][a-z.-]+/[^>"]*[>"]'
scripts/sources.sh 'src/*' 'include/*' 'tools/*' | grep -E '\.(c|h|cpp)$' | xargs grep -nHoE "$includes" |
  awk -v components="$components" '
    BEGIN {
      for (n = split(components, rows, "\n"); n > 0; --n) {
        split(rows[n], cells, ": ")
        known[cells[1]] = ", " cells[2] ","
      }
    }
    {
      file = $0; sub(/:.*/, "", file)
      room = file; if (!(room in known)) sub(/\/[^\/]*$/, "", room)
      header = $0; sub(/.$/, "", header); sub(/.*[<"]/, "", header)
      home = header; sub(/\/.*/, "", home)
      floor = header; sub(/\/[^\/]*$/, "", floor)
      if (home == "llvm") home = "mlir"
      sub(/^stowage\//, "", header)
      own = home == "sys" || "src/" floor == room || known[room] == ", all,"
      if (!own && !index(known[room], ", " home ",") && !index(known[room], ", " floor ",") &&
          !index(known[room], ", " header ","))
        print $0 "    # not among what " room " may know, in docs/ARCHITECTURE.md"
    }' >>"$breaches"

# Every file that ARCHITECTURE.md names is there.
grep -noE '\<[A-Za-z_]+\.(c|cpp|def|h|py|sh|td)\>' docs/ARCHITECTURE.md | awk -v files="$(scripts/sources.sh '*')" '
  BEGIN { for (n = split(files, paths, "\n"); n > 0; --n) { sub(/.*\//, "", paths[n]); there[paths[n]] = 1 } }
  { name = $0; sub(/.*:/, "", name) }
  !(name in there) { print "docs/ARCHITECTURE.md:" $0 ": there is no such file" }' >>"$breaches"

# C asks the bridge, not C++ headers; those of the dialects, in capitals, are C++.
scripts/sources.sh 'src/*.c' 'src/*.h' | grep -vE '^src/(bridge|driver)/|/[A-Z][A-Za-z]*\.h$' |
  xargs grep -nHE '#include +[<"](mlir|llvm)/' | sed 's|$|    # C asks the bridge|' >>"$breaches"

# What a header declares, another file calls.
scripts/exports.py >>"$breaches"

scripts/commas.py >>"$breaches"

scripts/imports.py >>"$breaches"

scripts/sources.sh '*.cpp' '*.cc' | grep -vE '^(src/(bridge|driver|lifetime|taskflow)|test|examples)/' |
  sed 's|$|: C++ outside its rooms|' >>"$breaches"

scripts/sources.sh '*.c' '*.h' '*.cpp' '*.py' '*.sh' '*.td' Makefile .ci/run | xargs awk '
  function tell() { if (file && !licensed) print file ":1: no licence header" }
  FNR == 1 { tell(); file = FILENAME; licensed = 0 }
  FNR <= 12 && /SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception/ { licensed = 1 }
  END { tell() }' >>"$breaches"

# Arrays grow in one place of a component: ir's serves all that include it, plan and stream have libc only.
scripts/sources.sh 'src/*.c' 'src/*.h' | grep -vE '^src/(ir/support.c|plan/(memory|stacking).c|stream/grow.h)$' |
  xargs grep -nH '\<realloc(' | sed 's|$|    # there is a helper for arrays that grow|' >>"$breaches"

# Where a component has a table of limits, they stand in it.
scripts/sources.sh 'src/*.c' 'src/*/limits.h' | awk '
  { room = $0; sub(/\/[^\/]*$/, "", room) }
  /limits.h$/ { has[room] = 1; next }
  { files[room] = files[room] $0 "\n" }
  END { for (room in has) printf "%s", files[room] }' | xargs grep -nHE \
  '^ *(enum|static const|#define).*\<(MAX|MOST|ROUNDS|TRIES|PATIENCE)_?[A-Z_]*\>( =)? [0-9]' |
  sed 's|$|    # among the limits of its component|' >>"$breaches"

scripts/sources.sh 'src/*.c' 'src/*.cpp' 'tools/*.c' | xargs wc -l |
  awk '$2 != "total" && $1 > 900 {print $2 ": " $1 " lines: is there a second idea inside?"}' >>"$breaches"

if [ -s "$breaches" ]; then
  cat "$breaches"
  exit 1
fi
