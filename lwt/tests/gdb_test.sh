#!/usr/bin/env bash
# gdb/lwt.py lists the threads that wait and their functions, in a process and in its core file.
set -euo pipefail
script=$1
program=$2
if ! command -v gdb > /dev/null; then
  echo "SKIPPED: there is no gdb; install the Debian package gdb."
  exit 0
fi
if [[ $(gdb -nx -batch -ex 'python print(6 * 7)' 2> /dev/null) != 42 ]]; then
  echo "SKIPPED: gdb has no Python; install the Debian package gdb, not gdb-minimal."
  exit 0
fi
program=$PWD/$program
script=$PWD/$script
run() { timeout 60 gdb -nx -batch -ex 'set debuginfod enabled off' "$@" 2>&1 || true; }

# listing TEXT WHERE: fails unless the text lists what gdb_program's threads do.
listing() {
  for line in 'pool 0: 4 threads wait' 'at the gate (depth 1) waits for' 'created (depth 1) waits for' \
    'at the mutex (depth 1) waits for' 'Pool::Run (depth 0) waits for' 'WaitForTheGate' 'WaitForTheMutex'; do
    if ! grep -qF "$line" <<< "$1"; then
      echo "$2: there is no '$line' in:"
      echo "$1"
      exit 1
    fi
  done
  # Each frame of the recursion, and none of the parent's, which called the thread on another stack.
  local frames
  frames=$(sed -n '/^at the gate/,/^[^ ]/p' <<< "$1")
  if [[ $(grep -c 'Descend' <<< "$frames") != 4 ]] || ! grep -q ChildMain <<< "$(grep '^  #' <<< "$frames" | tail -n 1)"; then
    echo "$2: the frames of 'at the gate' are others than its own:"
    echo "$frames"
    exit 1
  fi
}

live=$(run -ex run -ex "source $script" -ex 'lwt threads' "$program")
if [[ $live != *"signal SIGABRT"* ]]; then
  echo "SKIPPED: gdb cannot run a program here: $(tail -n 1 <<< "$live")"
  exit 0
fi
listing "$live" "the process"
few=$(run -ex run -ex "source $script" -ex 'lwt threads 1' "$program")
grep -qF '(3 more: lwt threads COUNT)' <<< "$few" || { echo "lwt threads 1: $few" && exit 1; }

# The kernel's core file: one that gdb writes ends at the first guard of a slab of stacks.
pattern=$(cat /proc/sys/kernel/core_pattern)
if [[ $pattern == */* || $pattern == '|'* ]] || ! ulimit -c unlimited; then
  echo "SKIPPED: the core file: this system puts it elsewhere (core_pattern '$pattern')."
  exit 0
fi
mkdir "$TEST_TMPDIR/cores"
(cd "$TEST_TMPDIR/cores" && timeout 60 "$program") || true
listing "$(run -ex "source $script" -ex 'lwt threads' "$program" "$(echo "$TEST_TMPDIR"/cores/*)")" "the core file"
rm -r "$TEST_TMPDIR/cores"
