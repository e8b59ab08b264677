#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# without-llvm.sh COMMAND...: runs a command where Debian's LLVM is hidden, in mounts of its own.
set -eu

# shellcheck disable=SC2016
hide='
for folder in /usr/lib/llvm-*; do
  [ ! -d "$folder" ] || mount -t tmpfs none "$folder"
done
for file in /usr/lib/*/libLLVM* /usr/lib/*/libMLIR*; do
  [ -L "$file" ] || [ ! -f "$file" ] || mount --bind /dev/null "$file"
done
exec "$@"'

user=
[ "$(id -u)" -eq 0 ] || user="--user --map-root-user"
# shellcheck disable=SC2086
exec unshare $user --mount sh -c "$hide" sh "$@"
