#!/usr/bin/env bash
# At each step of a second Save a rank is killed, or refused by the file system: the checkpoint before is there, or the
# new one: checkpoint_steps_test.sh LLCLRUN CHECKPOINT_STEPS.
set -euo pipefail

run=$1 program=$2 ranks=2 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for how in refuse kill; do
  for ((victim = 0; victim < ranks; ++victim)); do
    for ((step = 1; ; ++step)); do
      rm -rf "$work"/save.*
      code=0
      timeout 60 "$run" -n $ranks "$program" "$work/save" $how $victim $step > "$work/said" 2>&1 || code=$?
      [[ $code != 10 ]] || break
      if [[ $how == kill && $code == 137 ]]; then
        code=0
        timeout 60 "$run" -n $ranks "$program" "$work/save" restore >> "$work/said" 2>&1 || code=$?
      fi
      [[ $code == 0 ]] || { echo "FAILED: rank $victim, $how at step $step: exit $code" && cat "$work/said" && ls "$work" && failed=1; }
      ((step < 100)) || { echo "FAILED: there is no end of steps" && exit 1; }
    done
    ((step > 5)) || { echo "FAILED: a Save has $((step - 1)) steps" && failed=1; }
    echo "rank $victim, $how: $((step - 1)) steps"
    # The checkpoint before is removed, and nothing else is left.
    [[ $how == kill || $(ls "$work" | grep -c '^save') == "$ranks" ]] || { echo "FAILED: files are left:" && ls "$work" && failed=1; }
  done
done
exit $failed
