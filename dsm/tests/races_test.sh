#!/usr/bin/env bash
# Races are found, with the element and the ranks, and nothing is found where there are none.
set -euo pipefail

run=$1 program=$2
failed=0

# expect TEXT TASK: three lines or parts of them, separated by |, are in its output.
expect() {
  local output text
  output=$(timeout 60 "$run" -n 3 "$program" "$2" "$engine" 2>&1) || output+=$'\n'"exit $?"
  while IFS= read -r -d '|' text; do
    [[ $output == *"$text"* ]] && continue
    echo "FAILED: $2 $engine: expected '$text' in:" && echo "$output"
    failed=1
  done <<< "$1|"
}

for engine in automatic segv; do
  # Little endian: what differs of 1001 and 1002, or of what was there, is one byte or two.
  expect ', element [7][3] of the array at 0x200000000000, written by ranks 1 and 2 between|2 races' copies
  expect ', element [7][3] of the array at 0x200000000000, written by ranks 0 and 1 between|2 races' home-first
  expect ', element [7][3] of the array at 0x200000000000, written by ranks 0 and 1 between|2 races' home-late
  expect '0 races|[0][0] of the array at 0x200000000000' none
  expect '0 races' locked
done
exit $failed
