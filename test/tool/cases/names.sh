# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Names that want to be more than names: on a terminal they are text, in files they stay what they are.
printf '%s' '{"buffers": [
  {"id": "\u001b[31m", "size": 1, "begin": 0, "end": 1}]}' > escape.json
printf '%s' '{"capacity": 64, "spaces": [{"name": "s", "capacity": 64}], "buffers": [
  {"id": "\u009b31m", "name": "a\tb\nc", "size": 4, "begin": 0, "end": 2},
  {"id": "\u202eright", "op": "</script><b>", "size": 4, "begin": 1, "end": 3},
  {"id": "a,\"b", "size": 4, "begin": 1, "end": 3}],
  "relations": [["may_colocate", "\u202eright", "a,\"b"]]}' > names.json
"$STOWAGE" plan escape.json --quiet; echo "exit $?"
"$STOWAGE" plan names.json --json=plan.json
"$STOWAGE" convert names.json --output=names.csv; cat -v names.csv
"$STOWAGE" convert names.csv --output=again.json; "$STOWAGE" convert again.json > again.csv
cmp names.csv again.csv && echo same
"$STOWAGE" map plan.json --output=map.html && grep -c '</script><b>' map.html
printf '%s' '{"buffers": [{"id": "a", "size": 4, "begin": 0, "end": 2},
  {"id": "b c", "size": 4, "begin": 0, "end": 2}], "relations": [["colocated", "a", "b c"]]}' > blank.json
"$STOWAGE" convert blank.json; echo "exit $?"
"$STOWAGE" plan blank.json --quiet --output=plan.csv; echo "exit $?"
"$STOWAGE" plan blank.json --quiet --json=-  | grep -E 'offset|relations'
