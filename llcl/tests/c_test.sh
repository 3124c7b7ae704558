#!/usr/bin/env bash
# A C program calls all of llcl's C functions, as 1, 2 and 4 ranks, by shared memory and by TCP.
set -euo pipefail

run=$1 program=$2
for conduit in smp tcp; do
  for ranks in 1 2 4; do
    timeout 60 "$run" -n $ranks --conduit=$conduit "$program" ||
      { echo "FAILED: $ranks ranks by $conduit" && exit 1; }
  done
done
