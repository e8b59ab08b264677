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
"$STOWAGE" completion zsh > stowage.zsh
grep -e '--output=.*FILE.html' -e '--to=' -e 'completion)' stowage.zsh
tail -n 1 stowage.zsh
"$STOWAGE" completion fish > stowage.fish
head -n 5 stowage.fish
# Where the other two shells are installed, they are asked as well.
if command -v zsh > /dev/null; then zsh -n stowage.zsh; fi
fish_says() {
  if command -v fish > /dev/null; then
    fish -c "source stowage.fish; complete -C '$1'" | cut -f1 | tr '\n' ' ' | grep -vxFe "$2 "
  fi
}
fish_says 'stowage pl' 'plan'
fish_says 'stowage man m' 'map'
fish_says 'stowage convert --to ' 'csv json'
fish_says 'stowage map --output=stowage.z' '--output=stowage.zsh'
fish_says 'stowage bench --strategies=peak,rep' '--strategies=peak,repair'
"$STOWAGE" completion tcsh
