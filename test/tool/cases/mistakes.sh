# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What is given in place of what is meant.
p() { printf "$1" > input; "$STOWAGE" plan input; echo "exit $?"; }
p '\037\213\010\000'
p '\377\376i\000d\000'
p '\376\377\000i\000d'
p 'i\000d\000'
p '\000{\000}'
p '\000\001'
p 'null\n'
p ' null'
p 'null,lower,upper,size\n'
p '{"buffers": null}'
p '{"buffers": [null]}'
p '{"buffers": [{"size": "4", "begin": 0, "end": 1}]}'
p '{"buffers": [{"size": "four", "begin": 0, "end": 1}]}'
p '{"buffers": [{"size": "", "begin": 0, "end": 1}]}'
p '{"buffers": [{"size": "18446744073709551616", "begin": 0, "end": 1}]}'
p '{"buffers": [{"size": 4, "begin": "-2", "end": 1}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "alignment": "8"}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "offset": "8"}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "alignment": null}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "name": null}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "colocated": null}]}'
p '{"buffers": [{"size": null, "begin": 0, "end": 1}]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1, "offset": null, "other": null}]}' | tail -1
p '{"buffers": [{"size": 4, "begin": 0, "end": 1},]}'
p '{"buffers": [{"size": 4, "begin": 0, "end": 1,}]}'
p '{"buffers": [], "other": [1,]}'
p '{"buffers": [], "other": {"a": 1,}}'
cp "$CASES/data/five.csv" .
"$STOWAGE" map five.csv; echo "exit $?"
"$STOWAGE" verify five.csv; echo "exit $?"
"$STOWAGE" five.csv; echo "exit $?"
"$STOWAGE" --input=five.csv; echo "exit $?"
