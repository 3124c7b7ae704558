#!/usr/bin/env bash
# The page of pthread functions is true: it has each function that the system's headers declare and each that
# lwt/pthread.h renames, the functions that are not covered as such, and each refusal that a program meets with its error.
# It begins with the differences that belong to no function.
#
# Usage: pthread_page_test.sh PAGE LWT_PTHREAD_H PROGRAM_OF_REFUSALS
set -euo pipefail
page=$1
header=$2
refusals=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
  [[ -z $2 ]] || { printf '%s: %s\n' "$1" "$(tr '\n' ' ' <<< "$2")"; failed=1; }
}

# A row: | `name`, `name` | outcome | difference or error |
rows() { grep -E '^\| `' "$page"; }
named() { rows | awk -F'|' -v outcome="$1" '$3 ~ outcome {print $2}' | grep -oE '[a-z_0-9]+' | sort; }
named '' > "$work/page"
complain 'twice on the page' "$(uniq -d "$work/page")"
complain 'no such outcome' "$(rows | awk -F'|' '$3 !~ /^ (runs|differs|refused|not covered) $/ {print $2}')"
[[ $(wc -l < "$work/page") -ge 150 ]]

# Differences that belong to no function stand before the first table.
top=$(sed '/^## /,$d' "$page")
for difference in __thread spins errno Stacks; do
  grep -qE "^- \*\*.*$difference" <<< "$top" || complain 'not said at the top of the page' "$difference"
done

# Continued lines as one.
sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$header" > "$work/header"
grep -oE 'redefine_extname [a-z0-9_]+ lwt_does_not_cover_' "$work/header" | awk '{print $2}' | sort -u > "$work/uncovered"
grep -oE 'redefine_extname [a-z0-9_]+ lwt_[a-z0-9_]+' "$work/header" |
  grep -vE ' lwt_(does_not_cover|needs_fexceptions)_' | awk '{print $2}' | sort -u > "$work/covered"
printf '#define _GNU_SOURCE\n#include <pthread.h>\n#include <semaphore.h>\n#include <signal.h>\n' > "$work/headers.c"
gcc -E -P "$work/headers.c" | tr '\n' ' ' | grep -oE '\b(pthread|sem)_[a-z0-9_]+ *\(' | tr -d ' (' |
  grep -vE '_t$' | sort -u > "$work/declared"
[[ $(wc -l < "$work/declared") -ge 100 ]]

# Older names that the system's headers bind to others are the same functions.
older='^(pthread_mutex_consistent_np|pthread_mutexattr_(get|set)robust_np|pthread_yield)$'
complain 'declared and not on the page' "$(comm -23 "$work/declared" "$work/page" | grep -vE "$older" || true)"
complain 'renamed and not on the page' "$(comm -23 "$work/covered" "$work/page" | grep -vE "$older" || true)"
complain 'on the page and not renamed' "$(cat "$work/covered" "$work/uncovered" | sort -u | comm -13 - "$work/page")"
named 'not covered' > "$work/said"
complain 'covered, and the page says otherwise' "$(comm -12 "$work/said" "$work/covered")"
complain 'not covered, and the page says otherwise' "$(comm -12 <(comm -23 "$work/page" "$work/said") "$work/uncovered")"

"$refusals" > "$work/refused"
sort "$work/refused" > "$work/met"
rows | awk -F'|' '$3 ~ /refused/ {print $2 "|" $4}' | while IFS='|' read -r names why; do
  error=$(grep -oE '\bE[A-Z]+\b' <<< "$why" | head -1)
  for name in $(grep -oE '[a-z_0-9]+' <<< "$names"); do echo "$name $error"; done
done | sort > "$work/promised"
complain 'refused, and the page says nothing of it' "$(comm -23 "$work/met" "$work/promised")"
complain 'the page says refused, and the program has not met it' "$(comm -13 "$work/met" "$work/promised")"
exit $failed
