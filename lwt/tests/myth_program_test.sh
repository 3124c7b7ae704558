#!/usr/bin/env bash
# A C program on lwt/myth.h prints how many workers it has and the same result with any number of them.
#
# Usage: myth_program_test.sh RESULT PROGRAM [ARGUMENT...]
set -euo pipefail
result=$1
shift
failed=0
for workers in 1 2 7; do
  expected="workers $workers $result"
  actual=$(MYTH_NUM_WORKERS=$workers "$@" 2>&1) || true
  if [[ $actual != "$expected" ]]; then
    printf 'expected: %s\nactual:   %s\n' "$expected" "$actual"
    failed=1
  fi
done
exit $failed
