#!/usr/bin/env bash
# A pthread program prints the same with the system's threads and with lightweight ones, on any number of workers.
#
# Usage: pthread_program_test.sh PROGRAM_OF_THE_SYSTEM PROGRAM_OF_LWT [ARGUMENT...]
set -euo pipefail
system=$1
lightweight=$2
shift 2
# The program unlocks a mutex that it does not hold, to see the error.
export TSAN_OPTIONS="${TSAN_OPTIONS:-} report_mutex_bugs=0"
expected=$("$system" "$@" 2>&1)
[[ -n $expected ]]
failed=0
for workers in 1 2 7; do
  actual=$(MYTH_NUM_WORKERS=$workers timeout 60 "$lightweight" "$@" 2>&1) || failed=1
  if [[ $actual != "$expected" ]]; then
    printf 'workers: %s\nexpected:\n%s\nactual:\n%s\n' "$workers" "$expected" "$actual"
    failed=1
  fi
done
exit $failed
