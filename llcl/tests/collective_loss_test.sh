#!/usr/bin/env bash
# A rank is killed, or stopped, at several moments of each long collective operation: collective_loss_test.sh LLCLRUN
# PROGRAM CONDUIT.
set -euo pipefail

run=$1 program=$2 conduit=$3 ranks=4 tries=0
for operation in barrier broadcast gather scatter allgather alltoall allreduce reduce_scatter scan; do
  for loss in "kill 0" "kill 300" "kill 2000" "stop 1000"; do
    got=0
    # shellcheck disable=SC2086  # Two arguments.
    output=$(timeout 60 "$run" -n "$ranks" --keep-going --conduit="$conduit" "$program" "$operation" $loss 2>&1) || got=$?
    if [[ $got != 137 || $(grep -c 'goes on' <<< "$output") != $((ranks - 1)) ]]; then
      echo "FAILED: $operation, $loss us: exit $got:" && echo "$output" && exit 1
    fi
    tries=$((tries + 1))
  done
done
echo "passed: $tries losses"
