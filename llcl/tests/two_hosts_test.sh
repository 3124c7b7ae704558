#!/usr/bin/env bash
# The conformance suite between two hosts: two_hosts_test.sh PROGRAM CONDUIT PROVIDER TESTS [RANKS_PER_HOST].
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
program=$1
two_hosts_or_skip "two hosts"
export LLCL_CONDUIT=$2 LLCL_PROVIDER=$3
ranks_per_host=${5:-1}
on_both_hosts 250 "$program" --gtest_brief=1 "--gtest_filter=$4"
