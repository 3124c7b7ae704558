#!/usr/bin/env bash
# When a rank is killed the others learn of it, by name and in time, and go on.
set -euo pipefail

run=$1 program=$2 conduit=$3
ranks_each="2 4"
# By TCP most of nine ranks meet on first use.
[[ $conduit != tcp && $conduit != mixed ]] || ranks_each+=" 9"
for ranks in $ranks_each; do
  got=0
  output=$(timeout 60 "$run" -n "$ranks" --keep-going --conduit="$conduit" "$program" 2>&1) || got=$?
  went_on=$(grep -c 'goes on' <<< "$output" || true)
  if [[ $got != 137 || $went_on != $((ranks - 1)) ||
    $output != *"rank $((ranks - 1)) was killed by signal 9 (Killed); the others go on"* ]]; then
    echo "FAILED with $ranks ranks: exit $got:" && echo "$output" && exit 1
  fi
done
left=$(find /dev/shm -name '*llcl*' 2> /dev/null | wc -l)
[[ $left == 0 ]] || { echo "FAILED: something is left in /dev/shm" && exit 1; }
