#!/usr/bin/env bash
# The program as a user starts it: right in every bit, whatever the algorithm and the ranks, and
# only the planes between slabs move.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
bound=100
export OMP_WAIT_POLICY=passive

# counts EXPECTED COMMAND...: of each row its algorithm, exchanges and pages, in a line. Pages come
# by faults, of one thread or of several at once, or by preload and then by no fault.
counts() {
  local expected=$1 output got
  shift
  output=$(timeout 100 "$@" 2>&1) || true
  got=$(awk '/^A/ {
    printf "%s:%s:%s ", $1, $10, $12
    if ($1 ~ /[po]$/ ? $11 > 0 : $11 < $12) printf "with-%s-faults ", $11
  }' <<< "$output")
  if [[ $got != "$expected " || $output != *"right in every bit"* ]]; then
    echo "FAILED: $*: expected $expected, got $got:" && echo "$output"
    failed=1
  fi
}

# A plane is two pages of 4 KiB.
grid=(--nz=30 --ny=16 --nx=64 --steps=20 --block=8 --threads=2 --algorithm=all)
for engine in automatic segv; do
  for points in 7 27; do
    for ranks in 1 2 3 4; do
      # A1: a plane from each side of each place where slabs meet, at each step. A2: in blocks of 8,
      # 8 and 4 steps as many planes, as far as there are any: slabs of 4 ranks are 8, 8, 7, 7. A3:
      # blocks are at most half of a slab (8, 5, 3 steps); for each step both planes of an edge, as
      # both halves of the rows reach beyond the middle, and half of a plane of results.
      meetings=$((ranks - 1))
      simple=20:$((20 * 2 * meetings * 2))
      case $ranks in
        1 | 2) blocked=3:$((20 * 2 * meetings * 2)) exchanges=6 ;;
        3) blocked=3:$((20 * 2 * meetings * 2)) exchanges=8 ;;
        4) blocked=3:236 exchanges=14 ;;
      esac
      phased=$exchanges:$((20 * 2 * meetings * 5))
      counts "A1:$simple A1p:$simple A1o:$simple A1l:$simple A2:$blocked A2p:$blocked A3:$phased A3p:$phased" \
        "$run" -n $ranks "$program" --points=$points --engine=$engine "${grid[@]}"
    done
  done
done

# Odd sizes, blocks that do not divide the steps, more threads than planes or rows have parts, and
# planes that several tiles of rows, or of rows and columns, go through.
for points in 7 27; do
  while read -r ranks flags; do
    # shellcheck disable=SC2086 # several
    expect 0 'right in every bit' "$run" -n "$ranks" "$program" --algorithm=A1o,A1l,A2p,A3,A3p --points=$points $flags < /dev/null
  done << 'EOF'
1 --nz=13 --ny=11 --nx=17 --steps=9 --block=4 --threads=5
2 --nz=13 --ny=7 --nx=512 --steps=9 --block=3 --threads=3
3 --nz=23 --ny=512 --nx=5 --steps=11 --block=16 --threads=1
4 --nz=9 --ny=8 --nx=64 --steps=5 --block=1 --threads=2
2 --nz=4 --ny=8 --nx=64 --steps=5 --block=8 --threads=1
2 --nz=40 --ny=48 --nx=512 --steps=24 --threads=1,2
2 --nz=20 --ny=32 --nx=1536 --steps=9 --block=4 --threads=1,2
EOF
done

# The paper's 128 steps are 8 exchanges in blocks of 16, or two in each.
counts 'A2p:8:512 A3p:16:1280' "$run" -n 2 "$program" --algorithm=A2p,A3p --nz=64 --ny=16 --nx=64
# A row for each algorithm and number of threads.
expect 0 'A1p             7      2        2' "$run" -n 2 "$program" --algorithm=A1,A1p --threads=2,1 --nz=8 --ny=16 --nx=32 --steps=3
# While one lightweight thread waits for its page others run, on one worker too: each of the 8 that
# a rank's edge plane has switches at least once a step. A page of another network takes its time.
output=$(timeout 100 "$run" -n 2 --conduit=ofi --provider=tcp "$program" --algorithm=A1l \
  --threads=1 --nz=8 --ny=16 --nx=256 --steps=5 --json=-) || true
switches=$(sed -n 's/.*"switches": \([0-9]*\).*/\1/p' <<< "$output")
[[ $switches -ge $((2 * 5 * 8)) ]] || { echo "FAILED: A1l switched ${switches:-never}:" && echo "$output" && failed=1; }
expect 0 '"repetitions": 3' "$run" -n 2 "$program" --algorithm=A1p,A2p --repetitions=3 --nz=8 --ny=16 --nx=64 --steps=4 --block=2 --json=-
expect 2 'virtual time is the same each time' "$program" --mode=simulated --repetitions=2
expect 0 '"switches": 0' "$run" -n 1 "$program" --algorithm=A1l --nz=8 --ny=16 --nx=32 --steps=3 --json=-
expect 0 '"max_abs_error": 0.0' "$run" -n 2 "$program" --nz=8 --ny=16 --nx=32 --steps=3 --json=-
expect 0 '<svg' "$run" -n 2 "$program" --nz=8 --ny=16 --nx=32 --steps=3 --svg=-
expect 2 'so ranks would write to each other' "$run" -n 2 "$program" --ny=10 --nx=10
expect 2 'A3 needs two planes' "$run" -n 2 "$program" --algorithm=A3 --nz=3 --ny=16 --nx=32
expect 2 'A9' "$run" -n 1 "$program" --algorithm=A9
expect 2 'is not a number' "$run" -n 1 "$program" --threads=some

# Simulated nodes need no launcher.
simulated=("$program" --mode=simulated --nodes=2,3 --nz-per-node=32 --ny=16 --nx=64 --page-bytes=4096)
expect 0 'A1p             7      3        5' "${simulated[@]}" --threads=5
expect 0 '"simulated": true' "${simulated[@]}" --json=-
expect 0 '"threads": 52' "${simulated[@]}" --points=27 --json=-
expect 0 '"assumed_adds_per_ns": 2.4' "${simulated[@]}" --json=-
expect 0 'A1p, nodes 3, threads of a node 8' "${simulated[@]}" --algorithm=A1p --threads=4,8 --figure=speed --svg=-
expect 0 'mpi, nodes; each brings planes of its own 3' "${simulated[@]}" --algorithm=A1p,mpi --figure=time --svg=-
expect 2 '--nz: simulated nodes have --nz-per-node' "${simulated[@]}" --nz=64
expect 2 '--engine' "${simulated[@]}" --engine=segv
expect 2 '--nodes: "x"' "$program" --mode=simulated --nodes=2,x
expect 2 '--nodes: "5000"' "$program" --mode=simulated --nodes=5000
expect 2 'is not numbers' "${simulated[@]}" --threads=1,2000
expect 2 '--blocked-gain' "${simulated[@]}" --blocked-gain=2
expect 2 '--spread-percent' "${simulated[@]}" --spread-percent=-1
expect 2 'A9' "${simulated[@]}" --algorithm=mpi,A9
expect 2 'A1l is not simulated' "${simulated[@]}" --algorithm=A1l
expect 2 'A1o is not simulated' "${simulated[@]}" --algorithm=A1o
expect 2 '--block: A2 reads 64 planes' "${simulated[@]}" --block=64
expect 2 'not of whole pages' "$program" --mode=simulated --ny=16 --nx=64 --page-bytes=16384
expect 2 '--mode' "$program" --nodes=2
expect 2 '--mode=simulated' "$run" -n 1 "$program" --figure=time
exit $failed
