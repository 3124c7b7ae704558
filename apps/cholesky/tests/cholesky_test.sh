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
expect 2 '"gpu:1" is none of host, sim:COUNT and opencl:COUNT' "$program" --devices=gpu:1
expect 2 '"0" is no count of devices' "$program" --devices=host,sim:0
expect 2 'there are at most 63 devices' "$program" --devices=sim:64
expect 2 '--dry is of simulated devices' "$program" --dry
expect 2 'is not one number' "$program" --threads=1,2
expect 2 '--offload' "$program" --offload=some
expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --spoil=77
expect 2 'there is no column 256 of 256' "$program" --n=256 --block=64 --spoil=256

# Real devices: what is asked for and is not there is told, and the run goes on.
export POCL_CACHE_DIR=$TEST_TMPDIR/pocl POCL_DEVICES="pthread pthread" POCL_MAX_PTHREAD_COUNT=1
expect 0 'going on without' env OCL_ICD_VENDORS=/nowhere "$program" --n=256 --block=64 --devices=opencl
if timeout 100 "$program" --n=256 --block=64 --devices=opencl:2 2>&1 | grep -q 'going on without'; then
  echo "SKIPPED: there are no two OpenCL devices here"
else
  counts 5984/960/465/0/1425 --devices=opencl:1 --offload=gemm
  counts 5984/1451/465/2248/4164 --devices=opencl:2
  counts 5984/528/528/0/1056 --devices=opencl:1 --offload=all
  expect 2 'not positive definite in column 77' "$program" --n=256 --block=64 --devices=opencl:2 --offload=all --spoil=77
  expect 0 '"residual": ' "$program" --n=256 --block=64 --precision=f64 --devices=host,opencl:2,sim:1 --offload=all --json=-
fi
exit $failed
