#!/usr/bin/env bash
# Ranks that end after their last barrier, at different times as they share few cores, are not taken for lost.
set -euo pipefail

run=$1 readme=$2
# The first two cores that this process may use: "0-3,8" has 0 and 1.
cores=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
# runs COUNT RANKS CONDUIT: README's program, that many times; it prints the sum of the ranks' numbers.
runs() {
  local i output
  for ((i = 0; i < $1; ++i)); do
    output=$(timeout 60 taskset --cpu-list "$cores" "$run" -n "$2" --conduit="$3" "$readme" 2>&1) || output="exit $?: $output"
    [[ $output == $(($2 * ($2 - 1) / 2)) ]] || { echo "FAILED: $2 ranks by $3, run $i: $output" && exit 1; }
  done
}
runs 20 64 smp
runs 5 16 tcp
runs 2 8 ofi
