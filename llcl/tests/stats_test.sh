#!/usr/bin/env bash
# With LLCL_STATS each rank prints one line with the numbers of its operations: those that the program makes.
set -euo pipefail

run=$1 program=$2
asked='6 reads 48 B, 5 writes 4.0 KiB, 3 atomics, 6 messages 98.1 KiB, 4 answers 12 B, 5 collectives'
asked+='; refused: 1 bad range; failed: 1 refused'
for conduit in smp tcp; do
  said=$(LLCL_STATS=1 timeout 60 "$run" -n 3 --conduit=$conduit "$program" 2>&1)
  for rank in 0 1 2; do
    grep -Eqx "llcl: rank $rank of 3: $conduit( \(own memory [^)]*\))?, [0-9]+\.[0-9] s; $asked; [0-9,]+ sleeps?, [0-9,]+ wakings?" <<< "$said" ||
      { echo "FAILED: rank $rank by $conduit:" && echo "$said" && exit 1; }
  done
  [[ $(wc -l <<< "$said") == 3 ]] || { echo "FAILED: more than a line a rank by $conduit:" && echo "$said" && exit 1; }
done
for off in 0 ''; do
  said=$(LLCL_STATS=$off timeout 60 "$run" -n 2 "$program" 2>&1)
  [[ -z $said ]] || { echo "FAILED: LLCL_STATS=$off prints:" && echo "$said" && exit 1; }
done
