#!/usr/bin/env bash
# What goes wrong is said, in time, and ends no other way; with each of the engines.
set -euo pipefail

run=$1 program=$2
shift 2
source tools/expect.sh
bound=40

# ends COMMAND...: as a program ends that touches what is not there: by the signal. (With a sanitizer, as that
# says.)
ends() {
  local got=0 output
  output=$(timeout 40 "$@" 2>&1) || got=$?
  if [[ $got != 139 && $output != *Sanitizer* || $output == *"dsm:"* ]]; then
    echo "FAILED: $*: exit $got:" && echo "$output"
    failed=1
  fi
}

# says TEXT COMMAND...: fails in time and says so. Whose end is seen first, and so gives the exit code, is
# left to chance.
says() {
  local text=$1 got=0 output
  shift
  output=$(timeout 40 "$@" 2>&1) || got=$?
  if [[ $got == 0 || $got == 124 || $output != *"$text"* ]]; then
    echo "FAILED: $*: exit $got, expected '$text':" && echo "$output"
    failed=1
  fi
}

for engine in "$@"; do
  refused=$("$run" -n 1 "$program" none $engine 2>&1) || if [[ $refused == *"userfaultfd: "* ]]; then
    echo "SKIPPED: $refused" && continue
  fi
  ends "$run" -n 1 "$program" wild $engine
  ends "$run" -n 2 "$program" wild $engine
  ends "$run" -n 2 "$program" null $engine
  for conduit in smp tcp ofi; do
    expect 0 'rank 1: fork: all children ended' "$run" -n 2 --conduit=$conduit "$program" fork $engine
  done
  says 'of rank 2: its home is gone' "$run" -n 3 --keep-going "$program" lost-home $engine
  says 'rank 0 ended with exit code 75' "$run" -n 3 --keep-going "$program" lost-home $engine
  says 'rank 2 is gone' "$run" -n 3 --keep-going "$program" lost-barrier $engine
done
# A lock's holder is killed: exactly one of the others gets its name, and all get the lock.
for conduit in smp tcp ofi; do
  output=$(timeout 40 "$run" -n 3 --keep-going --conduit=$conduit "$program" lost-lock 2>&1) || true
  if [[ $(grep -c 'has the lock, left inconsistent by 2' <<< "$output") != 1 ||
    $(grep -c 'has the lock, left inconsistent by -1' <<< "$output") != 1 ]]; then
    echo "FAILED: lost-lock by $conduit:" && echo "$output"
    failed=1
  fi
  says 'rank 2 is gone, the lock' "$run" -n 3 --keep-going --conduit=$conduit "$program" lost-lock-home
  # What is lost besides, and what not.
  for task in lost-changes lost-news; do
    output=$(timeout 40 "$run" -n 3 --keep-going --conduit=$conduit "$program" $task 2>&1) || true
    if [[ $(grep -c 'all is as it must be' <<< "$output") != 2 ]]; then
      echo "FAILED: $task by $conduit:" && echo "$output"
      failed=1
    fi
  done
done
expect 2 'different spaces: ' "$run" -n 2 "$program" page-size
expect 2 'in pages of 65536' "$run" -n 2 "$program" page-size
expect 2 'page_bytes is 5000: it is a multiple of 4096' "$run" -n 1 "$program" odd-page
expect 2 'no waiter' "$run" -n 1 "$program" waiter userfaultfd-server
expect 2 'are taken by something else' "$run" -n 1 "$program" taken
exit $failed
