# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What bash completes, asked as bash asks; "=" ends a word there.
cat > try.bash <<'END'
source ./stowage.bash
try() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _stowage
  echo "$* -> ${COMPREPLY[*]}"
}
try stowage p
try build/bin/stowage v
try stowage plan --str
try stowage map --
try stowage plan --strategy = first
try stowage gen --shape = ""
try stowage gen --shape =
try stowage completion ""
try stowage help ma
try stowage plan ./try
END
"$STOWAGE" completion bash > stowage.bash
bash try.bash
"$STOWAGE" completion zsh | head -n 2
"$STOWAGE" completion zsh | tail -n +3 | cmp - stowage.bash
"$STOWAGE" completion fish | head -n 3
"$STOWAGE" completion tcsh
