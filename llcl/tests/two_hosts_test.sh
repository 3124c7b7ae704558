#!/usr/bin/env bash
# The conformance suite between two hosts.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
program=$1
two_hosts_or_skip "two hosts"
export LLCL_SIZE=2 LLCL_CONDUIT=$2 LLCL_PROVIDER=${3:-}
LLCL_RANK=0 timeout 250 ip netns exec "$one" "$program" --gtest_brief=1 &
LLCL_RANK=1 timeout 250 ip netns exec "$two" "$program" --gtest_brief=1 &
# When one fails the other waits for it in vain, and is ended with the hosts.
wait -n
wait -n
