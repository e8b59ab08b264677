#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pass-reference.sh BUILD: docs/passes.md as the passes of BUILD describe themselves. With --check it
# writes nothing and fails where the file in the tree says something else.
set -eu
check=
[ "${1:-}" != --check ] || { check=1; shift; }
generated=$1/src/driver/Passes.md
root=$(dirname "$0")/..
page=$root/docs/passes.md
major=$("$root/scripts/mlir-major.sh")
llvm=/usr/lib/llvm-$major
tblgen=$(command -v "llvm-tblgen-$major" || echo "$llvm/bin/llvm-tblgen")
fresh=$(mktemp)
bare=$(mktemp)
trap 'rm -f "$fresh" "$bare"' EXIT
{
  echo '# Passes'
  echo
  echo 'Generated from src/*/Passes.td by scripts/pass-reference.sh.'
  echo
  grep -v '^<!--' "$generated"
} >"$bare"
"$tblgen" --dump-json -I "$root/src" -I "$llvm/include" "$root/src/driver/Passes.td" |
  python3 "$root/scripts/pass_defaults.py" "$bare" >"$fresh"
"$1/bin/stowage-opt" --help | python3 "$root/scripts/pipeline_reference.py" stowage-memory >>"$fresh"
if [ -z "$check" ]; then
  cp "$fresh" "$page"
elif ! cmp -s "$fresh" "$page"; then
  echo "docs/passes.md is not what the passes say; run scripts/pass-reference.sh BUILD" >&2
  exit 1
fi
