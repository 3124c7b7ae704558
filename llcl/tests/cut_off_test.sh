#!/usr/bin/env bash
# The cable between two hosts is cut in the middle of each collective operation, and while aggregators end their epochs:
# the ranks of each host take those of the other for gone, and go on. cut_off_test.sh COLLECTIVES AGGREGATOR CONDUIT.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
collectives=$1 aggregator=$2 what="a cable that is cut"
two_hosts_or_skip "$what" iptables iptables
export LLCL_SIZE=3 LLCL_CONDUIT=$3
output=$(mktemp -d "${TEST_TMPDIR:-/tmp}/cut_off.XXXXXX")
processes=() port=7777
# A job of three ranks, of which the second host has the last.
start() {
  local name=$1 rank host
  shift
  for rank in 0 1 2; do
    host=$one
    [[ $rank != 2 ]] || host=$two
    LLCL_RENDEZVOUS=10.77.0.1:$port LLCL_RANK=$rank timeout 150 ip netns exec "$host" "$@" > "$output/$name.$rank" 2>&1 &
    processes+=($!)
  done
  port=$((port + 1))
}
# All jobs at once: after the cut each takes ten seconds.
for operation in barrier broadcast gather scatter allgather alltoall allreduce reduce_scatter scan; do
  start "$operation" "$collectives" "$operation" cut 0
done
for end in finish quiesce; do
  start "$end" "$aggregator" "$end" cut 0
done
await_ready "$output" "${#processes[@]}"
drop_or_skip "$what"
failed=0
for process in "${processes[@]}"; do
  wait "$process" || failed=1
done
goes_on=$(cat "$output"/* | grep -c 'goes on' || true)
[[ $failed == 0 && $goes_on == "${#processes[@]}" ]] || { tail -n 5 "$output"/* && echo "FAILED: $goes_on of ${#processes[@]} go on" && exit 1; }
echo "passed: $goes_on ranks of $((port - 7777)) jobs go on"
