#!/usr/bin/env bash
# An example runs as four ranks and prints what it is to print, with each engine.
set -euo pipefail

run=$1 program=$2 text=$3
for engine in userfaultfd segv; do
  output=$(OMP_NUM_THREADS=3 SMS_ENGINE=$engine timeout 100 "$run" -n 4 "$program" 2>&1) || {
    [[ $engine == userfaultfd && $output == *'userfaultfd: '* ]] && echo "SKIPPED: $engine: $output" && continue
    echo "FAILED with $engine:" && echo "$output" && exit 1
  }
  [[ $output == *"$text"* ]] || { echo "FAILED with $engine, no '$text':" && echo "$output" && exit 1; }
done
