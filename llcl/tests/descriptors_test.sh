#!/usr/bin/env bash
# With too few descriptors ranks end soon and say why; with enough to meet, they go on without more.
set -euo pipefail

run=$1 program=$2
failed=0 met=0 refused=0
# By `mixed` there are two hosts of two ranks.
for conduit in smp tcp mixed; do for most in $(seq 4 28); do
  got=0
  output=$(LLCL_RANKS_PER_HOST=2 timeout 40 "$run" -n 4 --conduit=$conduit sh -c "ulimit -n $most && exec $program" 2>&1) || got=$?
  if [[ $got == 0 && $(grep -c 'goes on' <<< "$output") == 4 ]]; then
    met=$((met + 1))
  elif [[ $got == 1 && $output == *'ulimit -n'* ]]; then
    refused=$((refused + 1))
  else
    echo "FAILED by $conduit with $most descriptors: exit $got:" && echo "$output" && failed=1
  fi
done; done
echo "$met times all met, $refused times it was said why not"
[[ $failed == 0 && $met -gt 0 && $refused -gt 0 ]]
