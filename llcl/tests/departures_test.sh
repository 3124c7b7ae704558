#!/usr/bin/env bash
# Ranks are killed and leave at random times; those that stay hear of each once. Seeds as of tools/random/seeds.h.
set -euo pipefail

run=$1 program=$2 conduit=$3
first=${VICINITY_RANDOM_SEED:-1} programs=${VICINITY_RANDOM_PROGRAMS:-8}
[[ $first != fresh ]] || first=$RANDOM$RANDOM
for ((seed = first; seed < first + programs; ++seed)); do for ranks in 9 14; do
  got=0
  output=$(timeout 60 "$run" -n "$ranks" --keep-going --conduit="$conduit" "$program" "$seed" 2>&1) || got=$?
  heard=$(grep -c 'has heard all' <<< "$output" || true)
  # 137: a rank was killed.
  if [[ ($got != 0 && $got != 137) || $output == *FAILED* || $output != *"one of $heard has heard all"* ]]; then
    echo "FAILED with $ranks ranks and the seed $seed: exit $got:" && echo "$output" && exit 1
  fi
done; done
echo "$programs programs from the seed $first on"
