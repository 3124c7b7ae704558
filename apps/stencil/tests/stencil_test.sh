#!/usr/bin/env bash
# The program as a user starts it: right in every bit, whatever the algorithm and the ranks, and
# only the planes between slabs move.
set -euo pipefail

run=$1 program=$2
failed=0
export OMP_WAIT_POLICY=passive

# expect CODE TEXT COMMAND...: its exit code, and a part of its output.
expect() {
  local code=$1 text=$2 got=0 output
  shift 2
  output=$(timeout 100 "$@" 2>&1) || got=$?
  if [[ $got != "$code" || $output != *"$text"* ]]; then
    echo "FAILED: $*: exit $got, expected $code and '$text':" && echo "$output"
    failed=1
  fi
}

# A plane is two pages of 4 KiB.
grid=(--nz=30 --ny=16 --nx=64 --steps=20 --threads=2)
for engine in automatic segv; do
  for points in 7 27; do
    for ranks in 1 2 3; do
      # Two planes for each place where slabs meet, at each exchange: 20, or in blocks of 8 steps 3,
      # that move 8, 8 and 4 planes in each direction.
      simple=$((20 * 2 * (ranks - 1) * 2)) blocked=$(((8 + 8 + 4) * 2 * (ranks - 1) * 2))
      common=(--points=$points --engine=$engine "${grid[@]}")
      expect 0 "20 exchanges, 0 faults, $simple pages; right in every bit" "$run" -n $ranks "$program" --algorithm=A1p "${common[@]}"
      expect 0 "3 exchanges, 0 faults, $blocked pages; right in every bit" "$run" -n $ranks "$program" --algorithm=A2p --block=8 "${common[@]}"
      expect 0 "$simple pages; right in every bit" "$run" -n $ranks "$program" --algorithm=A1 "${common[@]}"
      expect 0 "$blocked pages; right in every bit" "$run" -n $ranks "$program" --algorithm=A2 --block=8 "${common[@]}"
    done
  done
done
# The paper's 128 steps are 8 exchanges in blocks of 16.
expect 0 '8 exchanges' "$run" -n 2 "$program" --algorithm=A2p --nz=64 --ny=16 --nx=32
expect 0 '"max_abs_error": 0.0' "$run" -n 2 "$program" --nz=8 --ny=16 --nx=32 --steps=3 --json=-
expect 2 'so ranks would write to each other' "$run" -n 2 "$program" --ny=10 --nx=10
expect 2 'A9' "$run" -n 1 "$program" --algorithm=A9
exit $failed
