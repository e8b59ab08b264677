# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A page of a report has all its arenas, each verified; the text is the file's own.
cat > good.json <<'END'
{"version": 1, "title": "a</script>b", "arenas": [
  {"buffers": [{"id": "a", "size": 4, "begin": 0, "end": 3, "offset": 8, "before": 99}]},
  {"buffers": [{"id": "a", "size": 4, "begin": 0, "end": 3, "offset": 0},
               {"id": "b", "size": 4, "begin": 0, "end": 3, "offset": 4}]}]}
END
sed 's/"offset": 4/"offset": 2/' good.json > bad.json
sed 's/, "offset": 4//' good.json > unplaced.json
head -n 3 good.json > cut.json
sed 's/"size": 4/"size": "4"/' good.json > text.json
printf '\357\273\277' | cat - good.json > marked.json
m() { "$STOWAGE" map "$@" --output=map.html; echo "$* -> $?"; }
m bad.json
m unplaced.json
m cut.json
m text.json
echo '{"version": 1, "title": "stream-rows", "functions": [{"function": "f", "streams": []}]}' > rows.json
m rows.json
"$STOWAGE" map rows.json
m good.json --arena=3
m good.json --compare=bad.json
m good.json
sed -n "/id=\"plan-data/,/<.script>/p" map.html
mv map.html good.html
m - < good.json
cmp map.html good.html
m marked.json
cmp map.html good.html
m good.json --compare=marked.json
grep -c "99}" map.html
rm ./*
