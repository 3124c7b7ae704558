#!/usr/bin/env bash
# Random pthread programs print the same with the system's threads and with lightweight ones.
# VICINITY_RANDOM_PROGRAMS=N and VICINITY_RANDOM_SEED=S: how many, and the first one's seed (tools/random/seeds.h).
#
# Usage: pthread_random_test.sh PROGRAM_OF_THE_SYSTEM PROGRAM_OF_LWT PROGRAMS
set -uo pipefail
system=$1
lightweight=$2
programs=${VICINITY_RANDOM_PROGRAMS:-$3}
seed=${VICINITY_RANDOM_SEED:-1}
[[ $seed == fresh ]] && seed=$((SRANDOM % 1000000 * 1000000))
# The programs unlock mutexes that they do not hold, to see the error.
export TSAN_OPTIONS="${TSAN_OPTIONS:-} report_mutex_bugs=0"
failed=0
for ((i = 0; i < programs; ++i, ++seed)); do
  workers=$((seed % 4 + 1))
  expected=$("$system" "$seed" 2>&1) && [[ $expected == threads* ]] || failed=1
  actual=$(MYTH_NUM_WORKERS=$workers "$lightweight" "$seed" 2>&1) || failed=1
  if [[ $actual != "$expected" ]]; then
    printf 'seed %s, workers %s\nexpected:\n%s\nactual:\n%s\n' "$seed" "$workers" "$expected" "$actual"
    failed=1
  fi
  [[ $failed == 0 ]] || { echo "seed $seed fails: VICINITY_RANDOM_SEED=$seed VICINITY_RANDOM_PROGRAMS=1"; exit 1; }
done
echo "$programs programs, the last with seed $((seed - 1))"
