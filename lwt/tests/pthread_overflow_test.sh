#!/usr/bin/env bash
# An overflow of a pthread program's stack is reported with the size that the program's attribute says, and with the ways
# in which such a program gets larger stacks.
#
# Usage: pthread_overflow_test.sh PROGRAM_OF_LWT
set -euo pipefail
program=$1
ulimit -c 0
failed=0
overflow() {
  local output size
  output=$("$@" 2>&1) && { echo "ended well: $*"; failed=1; }
  size=$(head -1 <<< "$output")
  if ! grep -q "stack overflow .*: more than $size bytes; MYTH_DEF_STKSIZE=BYTES .*pthread_attr_setstacksize" <<< "$output"; then
    printf '%s:\n%s\n' "$*" "$output"
    failed=1
  fi
}
overflow "$program" overflow 0
overflow env MYTH_DEF_STKSIZE=100000 "$program" overflow 0
# A stack of its own is rounded up.
own=$(env MYTH_DEF_STKSIZE=65536 "$program" overflow 1000000 2>&1) && failed=1
said=$(grep -oE 'more than [0-9]+' <<< "$own" | grep -oE '[0-9]+')
[[ $said -ge 1000000 && $said -lt 2100000 ]] || { echo "$own"; failed=1; }
exit $failed
