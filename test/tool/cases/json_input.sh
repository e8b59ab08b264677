# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The short form, the long form with arenas, pieces and escapes.
printf '{"buffers": [{"id": 7, "size": 8, "begin": 0, "end": 4}, {"size": 8, "pieces": [[0, 2], [4, 6, 0, 4]]}]}' |
  "$STOWAGE" convert - --to=csv
cat > two.json <<'END'
{"version": 1, "arenas": [
  {"function": "f", "unknown": [{}, [1, "]"]], "buffers": [{"name": "x", "size": 1, "begin": 0, "end": 1}]},
  {"function": "g", "capacity": 64, "buffers": [{"name": "\u00e9\ud83d\ude00\t", "size": 2, "begin": 0, "end": 1}]}]}
END
"$STOWAGE" convert two.json --arena=1
"$STOWAGE" convert two.json --arena=2
"$STOWAGE" convert two.json --arena=2 --to=json
"$STOWAGE" convert two.json --arena=3
