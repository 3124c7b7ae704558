#!/usr/bin/env bash
# Random programs between two hosts whose cable loses packets: what TCP makes of that is seen by nobody but the clock.
# lossy_network_test.sh PROGRAM SECONDS [PROBABILITY [CONDUIT [RANKS_PER_HOST]]]: runs programs for so long, a few from a
# seed, then from another.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
program=$1 seconds=$2 probability=${3:-0.02} what="a lossy network"
two_hosts_or_skip "$what" iptables iptables
drop_or_skip "$what" -m statistic --mode random --probability "$probability"
export LLCL_CONDUIT=${4:-tcp} VICINITY_RANDOM_PROGRAMS=12
ranks_per_host=${5:-1}
seed=${VICINITY_RANDOM_SEED:-$((SRANDOM * 1000000))}
programs=0
while ((SECONDS < seconds)); do
  export VICINITY_RANDOM_SEED=$seed
  # Together they take seconds; a program has 100, by itself.
  on_both_hosts 1300 "$program" --gtest_brief=1 ||
    { echo "FAILED after $SECONDS s: with loss $probability, VICINITY_RANDOM_SEED=$seed" && exit 1; }
  programs=$((programs + VICINITY_RANDOM_PROGRAMS)) seed=$((seed + VICINITY_RANDOM_PROGRAMS))
done
dropped=$(for host in "$one" "$two"; do ip netns exec "$host" iptables -L INPUT -v -x -n; done |
  awk '$3 == "DROP" { dropped += $1 } END { print dropped + 0 }')
echo "passed: $programs programs in $SECONDS s; $dropped packets were dropped"
# Otherwise nothing was tried.
((dropped > 0))
