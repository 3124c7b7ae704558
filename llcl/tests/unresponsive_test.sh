#!/usr/bin/env bash
# A rank that answers nothing for some time is late, but not gone; the others go on.
set -euo pipefail

run=$1 program=$2 conduit=$3 how=$4 seconds=$5
got=0
output=$(timeout 200 "$run" -n 3 --conduit="$conduit" "$program" "$how" "$seconds" 2>&1) || got=$?
if [[ $got != 0 || $(grep -c 'goes on' <<< "$output") != 3 ]]; then
  echo "FAILED: exit $got:" && echo "$output" && exit 1
fi
echo "$output"
