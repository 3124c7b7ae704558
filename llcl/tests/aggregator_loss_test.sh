#!/usr/bin/env bash
# A rank is killed, or stopped, at several moments of an aggregator's epochs: aggregator_loss_test.sh LLCLRUN PROGRAM CONDUIT.
set -euo pipefail

run=$1 program=$2 conduit=$3 ranks=4 tries=0
for end in finish quiesce; do
  for microseconds in 0 100 300 1000 3000; do
    got=0
    output=$(timeout 60 "$run" -n "$ranks" --keep-going --conduit="$conduit" "$program" "$end" kill "$microseconds" 2>&1) || got=$?
    if [[ $got != 137 || $(grep -c 'goes on: peer down: .*[0-9]' <<< "$output") != $((ranks - 1)) ]]; then
      echo "FAILED: $end, killed after $microseconds us: exit $got:" && echo "$output" && exit 1
    fi
    tries=$((tries + 1))
    ((microseconds == 300)) || continue
    got=0
    output=$(timeout 60 "$run" -n "$ranks" --keep-going --conduit="$conduit" "$program" "$end" stop "$microseconds" 2>&1) || got=$?
    if [[ $got != 137 || $(grep -cE 'goes on: (late|peer down): .*[0-9]' <<< "$output") != $((ranks - 1)) ]]; then
      echo "FAILED: $end, stopped after $microseconds us: exit $got:" && echo "$output" && exit 1
    fi
    tries=$((tries + 1))
  done
done
echo "passed: $tries losses"
