#!/usr/bin/env bash
# context_test on AArch64, emulated: compiled with each optimization, run under qemu-user.
set -euo pipefail
compiler=aarch64-linux-gnu-g++
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if ! command -v $compiler > /dev/null; then
  echo "SKIPPED: there is no $compiler; install the Debian package g++-aarch64-linux-gnu."
  exit 0
fi
if [[ -z $emulator ]]; then
  echo "SKIPPED: there is no qemu-aarch64; install the Debian package qemu-user."
  exit 0
fi
for optimization in -O0 -O2 -O3; do
  $compiler -std=c++20 -Wall -Wextra -Werror $optimization -static -I. lwt/tests/context_test.cc lwt/machine/{context,backtrace}.cc \
    -o "$TEST_TMPDIR/context_test"
  answer=$(timeout 60 "$emulator" "$TEST_TMPDIR/context_test" | head -n 5) || true
  if [[ $answer != 'all holds' ]]; then
    echo "with $optimization: $answer"
    exit 1
  fi
done
