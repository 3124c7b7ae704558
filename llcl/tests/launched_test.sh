#!/usr/bin/env bash
# Runs a test program as so many ranks.
set -euo pipefail

run=$1 ranks=$2 program=$3
left_before=$(find /dev/shm -name '*llcl*' 2> /dev/null | wc -l)
timeout 250 "$run" -n "$ranks" --label "$program" --gtest_brief=1
left=$(find /dev/shm -name '*llcl*' 2> /dev/null | wc -l)
[[ $left == "$left_before" ]] || { echo "something is left in /dev/shm" && exit 1; }
