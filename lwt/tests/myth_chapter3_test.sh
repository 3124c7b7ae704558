#!/usr/bin/env bash
# The paper's chapter 3 as a C program: the right answer, with any number of workers.
set -euo pipefail
program=$1
failed=0

expect() { # expected text, command...
  local expected=$1 actual
  shift
  actual=$("$@" 2>&1) || true
  if [[ $actual != "$expected" ]]; then
    printf 'command:  %s\nexpected: %s\nactual:   %s\n' "$*" "$expected" "$actual"
    failed=1
  fi
}

expect 'workers 1 leaves 2048' env MYTH_NUM_WORKERS=1 "$program" 11
expect 'workers 2 leaves 2048' env MYTH_NUM_WORKERS=2 "$program" 11
expect 'workers 7 leaves 2048' env MYTH_NUM_WORKERS=7 "$program" 11
exit $failed
