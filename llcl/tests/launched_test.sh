#!/usr/bin/env bash
# Runs a test program as so many ranks, that reach each other by a conduit (and a provider).
set -euo pipefail

run=$1 ranks=$2 program=$3 conduit=$4 provider=${5:-}
options=(--label --conduit="$conduit")
[[ -z $provider ]] || options+=(--provider="$provider")
left_in_shm() { find /dev/shm -mindepth 1 \( -name '*llcl*' -o -name '*:*:*' \) 2> /dev/null | wc -l; }
left_before=$(left_in_shm)
timeout 250 "$run" -n "$ranks" "${options[@]}" "$program" --gtest_brief=1
left=$(left_in_shm)
[[ $left == "$left_before" ]] || { echo "something is left in /dev/shm" && exit 1; }
