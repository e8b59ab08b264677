# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A value that is none of its option's names the option, itself, and what is allowed.
cp "$CASES/data/five.csv" .
s() { echo "$*"; "$STOWAGE" "$@"; echo "exit $?"; }
for value in 1e6 1000 1e99 1.5 1m30s inf -1; do s plan five.csv --quiet --effort=$value; done
for value in inf 0 2.5 500ms 1m30s 1h2m3.5s 20000000us 5x -1s 1..5 1m-2s; do
  s plan five.csv --quiet --time-limit=$value
done
for value in true NO 1 maybe; do s plan five.csv --quiet --validate=$value; done
for value in 64K 64KB -4 ''; do s plan five.csv --quiet --capacity=$value; done
s plan five.csv --strategy=foo
s bench five.csv --strategies=auto,foo
s gen --buffers=many
