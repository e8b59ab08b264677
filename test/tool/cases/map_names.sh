# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A buffer is called by its layer, else by its op with the line of that op, else by its name. Windows are of the page.
cat > names.json <<'END'
{"buffers": [
  {"id": "%0", "op": "linalg.conv", "op_location": "net.mlir:12:8", "location": "net.mlir:3:4", "size": 64, "begin": 0, "end": 9, "offset": 0},
  {"id": "%1", "op": "linalg.add", "location": "net.mlir:5:4", "size": 64, "begin": 0, "end": 9, "offset": 64},
  {"id": "%2", "op": "linalg.add", "layer": "model/block/conv1", "location": "a.py", "size": 64, "begin": 0, "end": 9, "offset": 128},
  {"id": "%3", "op": "add", "location": "a.py", "size": 64, "begin": 0, "end": 9, "offset": 192},
  {"id": "%4", "location": "net.mlir:7:4", "size": 64, "begin": 0, "end": 9, "offset": 256,
   "parts": [{"name": "%v", "low": 0, "high": 64, "before": 640, "begin": 0, "end": 9}]}]}
END
"$STOWAGE" map names.json
"$STOWAGE" map names.json --output=names.svg
grep -o 'class="name [^<]*' names.svg
"$STOWAGE" map names.json --output=names.html
grep -c 'op_location": "net.mlir:12:8"' names.html
"$STOWAGE" convert names.json --to=json | grep -o '"op_location": "[^"]*"'
# Upwards in a tall box.
echo '{"buffers": [{"id": "%tall", "size": 64, "begin": 0, "end": 1, "offset": 0}, {"id": "%low", "size": 1, "begin": 1, "end": 60, "offset": 0}]}' |
  "$STOWAGE" map - --output=tall.svg
grep 'class="name ' tall.svg
rm ./*
