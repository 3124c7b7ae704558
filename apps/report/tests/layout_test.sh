#!/usr/bin/env bash
# A page with every part is readable at three widths, light and dark, in a real browser.
set -euo pipefail

report=$1 topo=$2 cholesky=$3 check=$4
data=apps/report/tests/data
made=$TEST_TMPDIR
paper='pack:4 [numa] core:8 pu:2(indexes=core:pack)'

flags=(--drawn-by='map --policy=scatter')
"$topo" map --policy=scatter --svg="$made/machine.svg" > /dev/null
"$topo" map --policy=scatter --topology="$paper" --svg="$made/paper.svg" > /dev/null
# Two nodes of eight, each in its color, some PUs without a thread.
"$topo" map --policy=scatter --threads=12 --topology='pack:8 [numa] core:2 pu:1' --svg="$made/colors.svg" > /dev/null
"$topo" map --policy=compact --threads=10 --topology="$paper" --format=json > "$made/compact.json"
flags+=(--machine-svg="$made/machine.svg" --mapping=scatter="$data/scatter.json" --mapping=compact+="$data/scatter.json")
flags+=(--paper-topology="$paper" --paper-svg="$made/paper.svg" --paper-mapping=compact="$made/compact.json")
"$cholesky" --n=2048 --block=128 --devices=sim:4 --dry --svg="$made/timeline.svg" --json="$made/timeline.json" > /dev/null
flags+=(--picture="$data/cholesky_simulated.json=$made/colors.svg" --picture="$made/timeline.json=$made/timeline.svg")

"$report" --output="$made/report.html" "${flags[@]}" "$made/timeline.json" \
  "$data"/{stream,bfs,simpath,sdpa,sdpa_simulated,matmul,matmul_series,stencil,stencil_simulated,cholesky,cholesky_simulated,counter}.json > /dev/null
"$check" "$made/report.html"
