#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# soak.sh BUILD [--programs N] [--seed S] [--jobs J] [any option of run.py]
#
# Many random programs under every config, each failure shrunk. Another seed, other programs.
set -eu
build=${1:?usage: soak.sh BUILD [options of run.py]}
shift
exec python3 "$(dirname "$0")/run.py" --opt "$build/bin/stowage-opt" \
  --programs 5000 --seed 20000000 --jobs "$(nproc)" --known --config all --shrink "$@"
