#!/usr/bin/env bash
# The paper's programs run, with right results and as few copies as there can be, on devices and
# without.
set -euo pipefail
source tools/expect.sh

program1=$1 program2=$2 program3=$3 ompc=$4 readme=$5

for devices in '' sim:2; do
  expect 0 '0 of 2000 elements are wrong' env OMPC_DEVICES=$devices "$program1"
done

# The copies are those of table 3's program with 8 x 8 blocks.
expect 0 '120 tasks, 56 on devices; 48 copies to devices, 21 back; right' env OMPC_DEVICES=sim "$program2"
expect 0 '120 tasks, 56 on devices;' env OMPC_DEVICES=sim:3 "$program2"
expect 0 '120 tasks, 0 on devices; 0 copies to devices, 0 back; right' "$program2"

expect 0 '2 tasks, 1 on devices; 1 copies to devices, 1 back; 0 elements are wrong' \
  env OMPC_DEVICES=sim:2 "$program3"
expect 0 '2 tasks, 0 on devices; 0 copies to devices, 0 back; 0 elements are wrong' "$program3"
expect 2 'ompc_init: devices "gpu": "gpu" is none of host' env OMPC_DEVICES=gpu "$program3"
expect 2 'ompc_init: devices "sim:no": "no" is no count' env OMPC_DEVICES=sim:no "$program1"
# A device that is not there is an error, unless the program may go on without.
missing=(env OCL_ICD_VENDORS=/nowhere OMPC_DEVICES=sim,opencl)
expect 2 'ompc_init: ' "${missing[@]}" "$program3"
expect 2 'OpenCL' "${missing[@]}" "$program1"
expect 0 'going on without' "${missing[@]}" OMPC_ALLOW_MISSING_DEVICES=1 "$program3"

expect 0 '24000' "$readme"

# The translator's errors are those of a program.
printf '\n#pragma omp dispatch\nint x;\n' > "$TEST_TMPDIR/other.c"
expect 2 'other.c:2: expected a directive behind #pragma omp that ompc --constructs lists as one that runs, not dispatch' \
  "$ompc" "$TEST_TMPDIR/other.c"
expect 2 'no.c' "$ompc" no.c
expect 2 'cannot write /no/such.c' "$ompc" -o /no/such.c /dev/null
expect 0 'where the translation goes' "$ompc" --help
exit "$failed"
