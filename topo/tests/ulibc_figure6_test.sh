#!/usr/bin/env bash
# The paper's figure 6 program gives the right answer here, and on machines that
# it is rehearsed for.
set -euo pipefail
program=$1
failed=0

expect() { # expected text, command...
  local expected=$1 actual
  shift
  actual=$("$@" 2>&1) || true
  if [[ $actual != $expected ]]; then
    printf 'command:  %s\nexpected: %s\nactual:   %s\n' "$*" "$expected" "$actual"
    failed=1
  fi
}

paper='pack:4 [numa] core:8 pu:2(indexes=core:pack)'
expect 'nodes * threads * elements 1000003 unplaced 0 wrong 0' env "$program"
expect 'nodes 4 threads 5 elements 1009 unplaced 5 wrong 0' \
  env TOPO_TOPOLOGY="$paper" OMP_NUM_THREADS=5 "$program" 1009
expect 'nodes 2 threads 2 elements 3 unplaced 2 wrong 0' \
  env TOPO_TOPOLOGY="$paper" OMP_NUM_THREADS=2 "$program" 3
expect "ulibc: TOPO_POLICY is 'loose': expected scatter, compact or compact+" \
  env TOPO_POLICY=loose "$program"
expect "ulibc: TOPO_TOPOLOGY: 'pack:x' is not a synthetic topology: hwloc stops at 'pack:x'" \
  env TOPO_TOPOLOGY=pack:x "$program"
exit $failed
