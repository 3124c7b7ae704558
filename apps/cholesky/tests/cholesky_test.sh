#!/usr/bin/env bash
# The program as a user starts it: a right answer, what is refused, schedules, files.
set -euo pipefail

program=$1
source tools/expect.sh

expect 0 'residual' "$program" --n=256 --block=64
expect 0 '"residual": ' "$program" --n=256 --block=64 --precision=f64 --threads=3 --json=-
expect 0 '"virtual_seconds": ' "$program" --n=8192 --block=1024 --devices=sim:1 --threads=2 --dry --json=-
expect 0 '"gflop_per_s_q3": ' "$program" --n=256 --block=64 --repetitions=3 --json=-
expect 2 'virtual time is the same each time' "$program" --devices=sim:1 --repetitions=2
expect 2 '--n: 100 is not a multiple of --block, 64' "$program" --n=100 --block=64
expect 2 '"gpu:1" is none of host, sim:COUNT, opencl:COUNT and cuda:COUNT' "$program" --devices=gpu:1
expect 2 '"0" is no count of devices' "$program" --devices=host,sim:0
expect 2 'there are at most 63 devices' "$program" --devices=sim:64
expect 2 '--dry is of simulated devices' "$program" --dry
expect 2 'is not one number' "$program" --threads=1,2
expect 2 '--offload' "$program" --offload=some

# Schedulers that choose later; what one did is done again.
for scheduler in locality heft steal; do
  expect 0 'least' "$program" --n=512 --block=32 --devices=sim:3 --offload=all --scheduler=$scheduler --dry
done
schedule=$TEST_TMPDIR/schedule
again=(--n=512 --block=32 --devices=sim:3 --offload=all --schedule="$schedule")
expect 0 'least' "$program" "${again[@]}" --scheduler=steal
expect 0 'residual' "$program" "${again[@]}" --scheduler=replay
expect 2 'of the tasks cannot run where' "$program" --n=1024 --block=32 --devices=sim:3 --scheduler=replay --schedule="$schedule"
echo wrong >> "$schedule"
expect 2 "$schedule:818: expected a place" "$program" "${again[@]}" --scheduler=replay
expect 2 'cannot read "/nonexistent/s"' "$program" --scheduler=replay --schedule=/nonexistent/s
expect 2 'needs a --schedule' "$program" --scheduler=replay
expect 2 'there is none' "$program" --devices=sim:2 --scheduler=heft --plan

# What was done when, as files: the JSON's slices are the tasks, the copies and the allocations.
small=(--n=512 --block=64 --devices=sim:2)
trace=$TEST_TMPDIR/trace.json svg=$TEST_TMPDIR/timeline.svg
expect 0 'least' "$program" "${small[@]}" --trace="$trace" --svg="$svg"
slices=$(grep -c '"ph":"X".*"cat":"\(task\|copy\)"' "$trace" || true)
sum=$("$program" "${small[@]}" --json=- 2> /dev/null |
  sed -nE 's/.*"(tasks|copies_(h2d|d2h|d2d))": ([0-9]+).*/\3/p' | awk '{sum += $1} END {print sum}')
[[ $slices == "$sum" ]] || { echo "FAILED: $slices tasks and copies in the trace, not $sum" && failed=1; }
python3 -m json.tool "$trace" > /dev/null || { echo "FAILED: the trace is no JSON" && failed=1; }
grep -q 'virtual time (simulated)' "$svg" || { echo "FAILED: no timeline" && failed=1; }
expect 0 'traceEvents' "$program" --n=256 --block=64 --trace=-
expect 2 '/nonexistent/t.svg' "$program" --n=256 --block=64 --svg=/nonexistent/t.svg
expect 2 'one can be -, standard output' "$program" --n=256 --block=64 --json=- --svg=-

# seconds FLAGS...: the virtual time of 16 blocks a row on a device.
seconds() { "$program" --n=4096 --block=256 --devices=sim:1 --dry --json=- "$@" 2> /dev/null | sed -nE 's/.*"virtual_seconds": ([0-9.e-]+).*/\1/p'; }
# faster FREE FLAGS...: where that is free, less than half of the time is left.
faster() {
  local all free
  all=$(seconds "${@:2}") free=$(seconds --sim-free="$1" "${@:2}")
  awk "BEGIN {exit !($free < $all / 2)}" || { echo "FAILED: ${*:2}: $all s, and $free s where $1 is free" && failed=1; }
}
faster copies --no-optimize --link-gb-per-s=4
faster alloc --alloc-us=1250
faster both --alloc-us=1250 --no-optimize --link-gb-per-s=4
expect 0 '"sim_free": "copies"' "$program" "${small[@]}" --dry --sim-free=copies --json=-
expect 0 '"assumed_alloc_us": 300.0' "$program" "${small[@]}" --dry --alloc-us=300 --json=-
expect 2 '--sim-free is of simulated devices' "$program" --sim-free=both
expect 2 '--sim-copies is of simulated devices' "$program" --sim-copies=blocking
expect 2 '--sim-queues is of simulated devices' "$program" --sim-queues=one
expect 2 '--far-path is of simulated devices that use memory of each other' "$program" --devices=sim:2 --far-path=shared
expect 2 '--sim-free' "$program" "${small[@]}" --sim-free=some
expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --spoil=77
expect 2 'there is no column 256 of 256' "$program" --n=256 --block=64 --spoil=256
exit $failed
