#!/usr/bin/env bash
# The program as a user starts it: the paper's counts, a right answer, and what is refused.
set -euo pipefail

program=$1
source tools/expect.sh

# counts EXPECTED FLAGS...: tasks, copies to devices, to the host and across, the least; with numbers.
counts() {
  local expected=$1 output got
  shift
  output=$(timeout 100 "$program" --n=1024 --block=32 --json=- "$@" 2> /dev/null) || true
  got=$(sed -nE 's/.*"(tasks|copies_(h2d|d2h|d2d|minimum))": ([0-9]+).*/\3/p' <<< "$output" | paste -sd/)
  [[ $got == "$expected" ]] || { echo "FAILED: $*: expected $expected, got $got:" && echo "$output" && failed=1; }
}

# Tables 3 and 5.
counts 5984/960/465/0/1425 --devices=sim:1 --offload=gemm
counts 5984/14880/4960/0/1425 --devices=sim:1 --no-optimize
counts 5984/1451/465/2248/4164 --devices=sim:2
counts 5984/2418/465/3372/6255 --devices=sim:4
# Beyond them.
counts 5984/528/528/0/1056 --devices=sim:1 --offload=all
counts 5984/1424/465/0/1889 --devices=sim:2 --scheduler=owner
counts 5984/1887/465/0/2352 --devices=sim:4 --scheduler=owner
counts 5984/960/465/464/1889 --devices=sim:2 --scheduler=owner --source=nearest --dry
counts 5984/960/465/927/2352 --devices=sim:4 --scheduler=owner --source=nearest --dry

expect 0 'residual' "$program" --n=256 --block=64
expect 0 '"residual": ' "$program" --n=256 --block=64 --precision=f64 --threads=3 --json=-
expect 0 '"virtual_seconds": ' "$program" --n=8192 --block=1024 --devices=sim:1 --threads=2 --dry --json=-
expect 0 '14880' "$program" --n=1024 --block=32 --devices=sim:1 --no-optimize --dry
expect 2 '--n: 100 is not a multiple of --block, 64' "$program" --n=100 --block=64
expect 2 '"gpu:1" is none of host, sim:COUNT, opencl:COUNT and cuda:COUNT' "$program" --devices=gpu:1
expect 2 '"0" is no count of devices' "$program" --devices=host,sim:0
expect 2 'there are at most 63 devices' "$program" --devices=sim:64
expect 2 '--dry is of simulated devices' "$program" --dry
expect 2 'is not one number' "$program" --threads=1,2
expect 2 '--offload' "$program" --offload=some

# Between devices: by way of the host each crossing is two copies; who uses what is elsewhere copies nothing.
counts 5984/3699/2713/0/4164 --devices=sim:2 --d2d=staged
counts 5984/1451/465/0/4164 --devices=sim:2 --d2d=access
counts 5984/3699/2713/0/4164 --devices=sim:2 --d2d=staged --dry
counts 5984/1451/465/0/4164 --devices=sim:2 --d2d=access --dry
expect 2 'is held to a plan' "$program" --devices=sim:2 --d2d=staged --scheduler=heft --dry

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

# A plan before the run, to which the run is held.
expect 0 'The plan: 1451 copies to devices, 465 to the host, 2248 across; 4164 at least.' \
  "$program" --n=1024 --block=32 --devices=sim:2 --dry --plan
expect 0 'to devices             960      3.93 MB       960         3.93 MB' \
  "$program" --n=1024 --block=32 --devices=sim:1 --dry --plan
expect 0 'to devices           14880     60.95 MB     14880        60.95 MB' \
  "$program" --n=1024 --block=32 --devices=sim:1 --dry --plan --no-optimize

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
seconds() { "$program" --n=16384 --block=1024 --devices=sim:1 --dry --json=- "$@" 2> /dev/null | sed -nE 's/.*"virtual_seconds": ([0-9.e-]+).*/\1/p'; }
# faster FREE FLAGS...: where that is free, less than half of the time is left.
faster() {
  local all free
  all=$(seconds "${@:2}") free=$(seconds --sim-free="$1" "${@:2}")
  awk "BEGIN {exit !($free < $all / 2)}" || { echo "FAILED: ${*:2}: $all s, and $free s where $1 is free" && failed=1; }
}
faster copies --no-optimize --link-gb-per-s=4
faster alloc --alloc-us=20000
faster both --alloc-us=20000 --no-optimize --link-gb-per-s=4
expect 0 '"sim_free": "copies"' "$program" "${small[@]}" --dry --sim-free=copies --json=-
expect 0 '"assumed_alloc_us": 300.0' "$program" "${small[@]}" --dry --alloc-us=300 --json=-
expect 2 '--sim-free is of simulated devices' "$program" --sim-free=both
expect 2 '--sim-free' "$program" "${small[@]}" --sim-free=some
expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --spoil=77
expect 2 'there is no column 256 of 256' "$program" --n=256 --block=64 --spoil=256

# Real devices: one that is not there is an error, or is named in the first line and the JSON.
# LeakSanitizer stops all threads at the end, and now and then crashes over PoCL's, which end at the same time.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export POCL_CACHE_DIR=$TEST_TMPDIR/pocl POCL_DEVICES="pthread pthread" POCL_MAX_PTHREAD_COUNT=1
here=(--n=256 --block=64)
no_opencl=(env OCL_ICD_VENDORS=/nowhere "$program" "${here[@]}" --devices=opencl)
expect 2 'cholesky: --devices=opencl: ' "${no_opencl[@]}"
first=$("${no_opencl[@]}" --allow-missing-devices)
[[ ${first%%$'\n'*} == 'Without devices that were asked for: '*OpenCL* ]] || { echo "FAILED: the first line is $first" && failed=1; }
expect 0 '"missing_devices": "' "${no_opencl[@]}" --allow-missing-devices --json=-
expect 0 '"missing_devices": ""' "$program" "${here[@]}" --json=-
# there DEVICES: are they? Of anything else that goes wrong the tests below tell.
there() {
  local said
  said=$(timeout 100 "$program" "${here[@]}" --devices="$1" 2>&1) || true
  [[ $said != "cholesky: --devices=$1: "* ]] || { echo "SKIPPED: ${said#*: }" && return 1; }
}
if there opencl:2; then
  counts 5984/960/465/0/1425 --devices=opencl:1 --offload=gemm
  counts 5984/1451/465/2248/4164 --devices=opencl:2
  counts 5984/528/528/0/1056 --devices=opencl:1 --offload=all
  expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --devices=opencl:2 --offload=all --spoil=77
  expect 0 '"residual": ' "$program" --n=256 --block=64 --precision=f64 --devices=host,opencl:2,sim:1 --offload=all --json=-
fi
if there cuda; then
  counts 5984/960/465/0/1425 --devices=cuda:1 --offload=gemm
  counts 5984/528/528/0/1056 --devices=cuda:1 --offload=all
  expect 0 'residual' env TASKRT_CUBLAS_PATH=/nowhere "$program" --n=256 --block=64 --devices=cuda --offload=all
  expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --devices=cuda --offload=all --spoil=77
fi
exit $failed
