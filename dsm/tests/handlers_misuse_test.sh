#!/usr/bin/env bash
# A handler that would wait ends its program with a sentence, by every conduit and with each engine; messages that come
# too late and lost ranks do no harm.
set -euo pipefail

run=$1 program=$2
shift 2
source tools/expect.sh
bound=40

for engine in "$@"; do
  refused=$("$run" -n 1 "$program" none "$engine" 2>&1) || if [[ $refused == *"userfaultfd: "* ]]; then
    echo "SKIPPED: $refused" && continue
  fi
  for conduit in smp tcp; do
    ranks=("$run" -n 2 "--conduit=$conduit" "$program")
    for task in read write; do
      expect some 'a handler of a message touches memory at home on rank ' "${ranks[@]}" $task "$engine"
    done
    expect some 'a handler of a message touches memory that has no home yet' "${ranks[@]}" first-touch "$engine"
  done
  if [[ $engine == userfaultfd-server ]]; then
    expect some 'it touches no memory of the space with this engine' "${ranks[@]}" read "$engine"
    continue
  fi
  for conduit in smp tcp; do
    for round in 1 2 3; do
      expect 0 'rank has ended' "$run" -n 3 "--conduit=$conduit" "$program" late "$engine"
    done
  done
done
for conduit in smp tcp; do
  ranks=("$run" -n 2 "--conduit=$conduit" "$program")
  expect some 'calls Space::Barrier, which may wait for other ranks' "${ranks[@]}" barrier
  expect some 'calls Space::Atomic, which' "${ranks[@]}" atomic
  expect some 'calls Mutex::Lock, which' "${ranks[@]}" lock
  expect some 'calls Space::Preload, or a member like it, which' "${ranks[@]}" preload
  expect 2 'different numbers of handlers (SpaceOptions::handlers): 0 has 2, 1 has 3' "${ranks[@]}" counts
  expect 2 'different numbers of handlers (SpaceOptions::handlers): 1 has 3, 0 has 0' "${ranks[@]}" none
  expect some \
    'the collective operation ends, the lost gets no message, the other does, rank 2 is gone' \
    "$run" -n 3 --keep-going "--conduit=$conduit" "$program" lost
done
expect 2 'handlers is empty at 1: it is functions' "$run" -n 1 "$program" empty
exit $failed
