#!/usr/bin/env bash
# MassiveThreads' synchronization in a C program: all counts are right, with any number of workers.
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

counts='count 1600 taken 80400 serial 200 early 0 decremented 8 passed 80400 status 0 wrong 0 0'
for workers in 1 2 7; do
  expect "workers $workers $counts" env MYTH_NUM_WORKERS=$workers "$program"
done
exit $failed
