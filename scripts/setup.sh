#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the Debian packages that are missing, and says which. `setup.sh build` looks at what
# building and the demo need, `setup.sh check` also at what only the checks need, `setup.sh tidy` at
# clang-tidy, `setup.sh wheel` at what links the Python wheel, `setup.sh embedded` at a compiler and an
# emulator for microcontrollers. Does nothing, and needs no network, when all is there. Without root it
# prints the one command to run.
set -eu

llvm=$("$(dirname "$0")/mlir-major.sh")
build_packages="gcc g++ make cmake ninja-build python3 libmlir-$llvm-dev mlir-$llvm-tools llvm-$llvm-dev llvm-$llvm-tools"
check_packages="clang-format-$llvm gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user chromium pkgconf pocl-opencl-icd python3-numpy z3"
wheel_packages="libzstd-dev lld-$llvm python3-venv zlib1g-dev"
embedded_packages="gcc-arm-none-eabi qemu-system-arm"

case "${1:-build}" in
build) wanted=$build_packages ;;
check) wanted="$build_packages $check_packages" ;;
tidy) wanted="$build_packages clang-tidy-$llvm" ;;
wheel) wanted="$build_packages $wheel_packages" ;;
embedded) wanted="$build_packages $embedded_packages" ;;
*)
  echo "usage: setup.sh [build|check|tidy|wheel|embedded]" >&2
  exit 2
  ;;
esac

missing=
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
  echo "Stowage needs these Debian packages. Please run:" >&2
  echo "  sudo sh -c 'apt-get update && $install'" >&2
  exit 1
fi
echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && $install; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup.sh: the packages could not be installed; the output of apt-get is above" >&2
  exit 1
fi
