#!/usr/bin/env bash
# Runs the tests of a space as so many ranks, with an engine, and what else space_rank takes.
set -euo pipefail

run=$1 ranks=$2 conduit=$3 program=$4 engine=$5
got=0
output=$(timeout 250 "$run" -n "$ranks" --label --conduit="$conduit" "$program" --gtest_brief=1 "${@:5}" 2>&1) || got=$?
echo "$output"
# An old kernel, or a container that forbids the system call.
if [[ $engine == userfaultfd* && $output == *"userfaultfd: "* ]]; then
  echo "SKIPPED: $(grep -m 1 'userfaultfd: ' <<< "$output")"
  exit 0
fi
exit "$got"
