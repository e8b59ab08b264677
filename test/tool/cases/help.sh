# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Whoever asks for help gets it, however they ask.
s() { "$STOWAGE" "$@" | head -n 1; }
s --help
s -help
s -h
s help
for command in plan verify bound map convert bench gen; do
  s $command --help
  s $command -help
  s $command -h
  s $command some.csv --help
  s help $command
done | sort | uniq -c
