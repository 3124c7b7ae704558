#!/usr/bin/env bash
# The variables of the environment for threads, stacks and waits have their effect.
set -euo pipefail
source tools/expect.sh

program=$1
expect 0 'right' env OMP_NUM_THREADS=2 "$program" 6 2
expect 0 'right' env OMP_NUM_THREADS=5 OMP_STACKSIZE=100M "$program" 90 5
expect 0 'right' env OMP_NUM_THREADS=5 OMP_WAIT_POLICY=passive "$program" 1 5
expect 0 'right' env OMP_NUM_THREADS=2 OMP_WAIT_POLICY=Active "$program" 1 2
expect 0 'ompc: OMP_STACKSIZE=much has no effect: it is no value of that variable' \
  env OMP_NUM_THREADS=2 OMP_STACKSIZE=much "$program" 1 2
expect 0 "OMP_NUM_THREADS = '3'" env OMP_NUM_THREADS=3 OMP_DISPLAY_ENV=true "$program" 1 3
expect 0 "OMP_SCHEDULE = 'GUIDED,7'" \
  env OMP_NUM_THREADS=3 OMP_SCHEDULE=guided,7 OMP_DISPLAY_ENV=verbose "$program" 1 3
exit "$failed"
