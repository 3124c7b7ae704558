#!/usr/bin/env bash
# A rank whose machine vanishes, without a word, is taken for gone some ten seconds later: vanished_test.sh PROGRAM CONDUIT.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
program=$1 what="a machine that vanishes"
two_hosts_or_skip "$what" iptables iptables
export LLCL_SIZE=4 LLCL_CONDUIT=$2
output=$(mktemp -d "${TEST_TMPDIR:-/tmp}/vanished.XXXXXX")
processes=()
for rank in 0 1 2 3; do
  host=$one
  [[ $rank != 3 ]] || host=$two
  LLCL_RANK=$rank timeout 150 ip netns exec "$host" "$program" > "$output/$rank" 2>&1 &
  processes+=($!)
done
await_ready "$output" 4
drop_or_skip "$what"
failed=0
for process in "${processes[@]}"; do
  wait "$process" || failed=1
done
cat "$output"/*
[[ $failed == 0 && $(cat "$output"/* | grep -c 'goes on') == 4 ]]
