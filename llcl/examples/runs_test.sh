#!/usr/bin/env bash
# Each example runs as two ranks and prints the output that its text gives.
set -euo pipefail

run=$1 latency=$2 message_rate=$3 readme=$4 sum=$5 shmem_ring=$6
failed=0
expect() { # pattern, command...
  local pattern=$1 output
  shift
  output=$(timeout 60 "$@" 2>&1) || output="exit code $?: $output"
  [[ $output =~ ^$pattern$ ]] || { echo "FAILED: $*: $output" && failed=1; }
}
expect 'latency [0-9]+ ns, issue [0-9]+ ns' "$run" -n 2 "$latency"
expect '[0-9.]+ million reads a second' "$run" -n 2 "$message_rate"
expect 6 "$run" -n 4 "$readme"
expect 0 "$readme"
expect 6 "$run" -n 4 "$sum"
expect 0 "$sum"
for conduit in smp tcp; do
  expect '3 PEs: ring 3 of 3, sum 36, first 1, last 27' "$run" -n 3 --conduit=$conduit "$shmem_ring"
done
exit $failed
