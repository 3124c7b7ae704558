#!/usr/bin/env bash
# Memcheck finds no error in a right program.
set -euo pipefail
program=$1
if ! command -v valgrind > /dev/null; then
  echo "SKIPPED: there is no valgrind; install the Debian package valgrind."
  exit 0
fi
output=$TEST_TMPDIR/output
status=0
timeout 200 valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$program" \
  > "$output" 2>&1 || status=$?
if grep -qx 'not announced' "$output"; then
  echo "SKIPPED: lwt was compiled without <valgrind/memcheck.h>; install the Debian package valgrind, and build anew."
  exit 0
fi
if [[ $status != 0 ]] || ! grep -qx right "$output"; then
  echo "exit code $status"
  head -n 100 "$output"
  exit 1
fi
