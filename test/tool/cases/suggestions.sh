# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A slip of the pen gets an answer, whatever it was in; a stranger gets none.
s() { "$STOWAGE" "$@"; echo "exit $?"; }
s pln
s help verfy
s xyzzy
s plan --outptu=x
s plan --out=x
s plan --xyzzy
s plan -o
s plan --strategy=first-fit-siez
s bench --strategies=auto,layerd,exact five.csv
s plan --strategy=
s plan --output=
s plan --output= five.csv
s gen --shape=chian

# Help is asked for in the place of a command's name, too.
s man --help | grep -E "^(usage|exit [0-9])"
s help -h | grep -E "^(usage|exit [0-9])"
