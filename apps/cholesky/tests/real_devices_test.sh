#!/usr/bin/env bash
# With devices of OpenCL and CUDA, where there are some, and without.
set -euo pipefail

program=$1
source tools/expect.sh
source apps/cholesky/tests/counts.sh

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
