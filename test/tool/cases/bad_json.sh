# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

b() { printf "$1" > in.json; "$STOWAGE" plan in.json; echo "exit $?"; }
b '{'
b '{}'
b '{"buffers": [{"size": 4, "begin": 0, "end": 1}]} x'
b '{"version": 2, "buffers": []}'
b '{"buffers": [{"size": 4, "begin": 0}]}'
b '{"buffers": [{"begin": 0, "end": 1}]}'
b '{"buffers": [{"size": -4, "begin": 0, "end": 1}]}'
b '{"buffers": [{"size": 4.5, "begin": 0, "end": 1}]}'
b '{"buffers": [{"size": null, "begin": 0, "end": 1}]}'
b '{"buffers": [{"size": 4, "begin": 1, "end": 1}]}'
b '{"buffers": [{"size": 4, "begin": 0, "end": 1, "alignment": 3}]}'
b '{"buffers": [{"id": "a", "size": 4, "begin": 0, "end": 1},\n {"id": "a", "size": 4, "begin": 0, "end": 1}]}'
b '{"buffers": [{"size": 4, "pieces": [[0, 2], [1, 3]]}]}'
b '{"buffers": [{"size": 4, "pieces": [[0, 2, 0, 8]]}]}'
b '{"buffers": [{"size": 4, "begin": 1, "pieces": [[0, 2]]}]}'
b '{"buffers": [1]}'
b '{"buffers": {"size": 1}}'
b '{"buffers": [], "x": tru}'
b '{"buffers": [], "x": "\\u12"}'
b '{"buffers": [], "x": "\\ud800"}'
b '{"buffers": [], "x": "a\nb"}'
b '{"buffers": [], "x": "a'
b '{"arenas": [{"buffers": []}, {"buffers": []}]}'
b '{"buffers": [{"size": 4, "begin": 0, "end": 1, "colocated": ["z"]}]}'
b '{"buffers": [], "spaces": [{"capacity": 4}]}'
printf '{"x": ' > deep.json; i=0
while [ $i -lt 600 ]; do printf '[' >> deep.json; i=$((i + 1)); done
"$STOWAGE" plan deep.json; echo "exit $?"
