#!/usr/bin/env bash
# llclrun's input, output and signals as shells and terminals give them: llclrun_streams_test.sh LLCLRUN PROGRAM.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
# shellcheck source=llcl/tests/sleepers.sh
source llcl/tests/sleepers.sh
bound=30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' > "$work/remote" && chmod +x "$work/remote"
on_hosts=("$run" --host=127.0.0.1,localhost "--launcher=$work/remote")

# A reader that has enough ends the job; nothing is said of it.
for job in "-n 2 --label" "-n 2" "--host=127.0.0.1,localhost --launcher=$work/remote --label"; do
  # shellcheck disable=SC2086
  got=$(timeout "$bound" bash -c '"$@" 2> "$0" | head -n 1' "$work/said" "$run" $job yes) || got="$got (exit $?)"
  [[ $got == *y ]] || { echo "FAILED: $job: head has read '$got'" && failed=1; }
  [[ $job != *--label || ! -s $work/said ]] || { echo "FAILED: $job:" && cat "$work/said" && failed=1; }
done
expect 141 '' bash -c '{ "$@"; echo "$?" > "$0"; } | true; exit "$(< "$0")"' "$work/code" "$run" --label -n 2 yes
# Neither is a disk that is full a reason to lose lines without a word.
expect 1 'cannot write the output: No space left on device; ending the ranks' bash -c '"$@" > /dev/full' full "$run" --label -n 2 yes
expect 1 'cannot write the output' bash -c '"$@" > /dev/full' full "$run" --label -n 2 echo short
# A reader that has stopped does not hold up the end of the job, and a slow one gets all. The outer bound ends by 137.
# stopped FILE [2>&1] COMMAND...
stopped() {
  local file=$work/stopped.$1 code=0
  shift
  (
    if [[ $1 == '2>&1' ]]; then
      shift
      timeout -s KILL 9 "$@" 2>&1 || code=$?
    else
      timeout -s KILL 9 "$@" 2> "$file.said" || code=$?
    fi
    echo "$code" > "$file"
  ) | sleep 11
  [[ $(< "$file") == 124 ]] || { echo "FAILED: $*: exit $(< "$file"), expected 124" && touch "$work/failed"; }
}
stopped 1 "$run" --label --timeout=1 -n 2 yes &
stopped 2 '2>&1' "$run" --label --timeout=1 -n 2 yes &
stopped 3 "$run" --label --timeout=1 seq 20000 &
wait
[[ ! -e $work/failed ]] || failed=1
lines=$("$run" --label -n 2 seq 100000 | { sleep 1; sort | uniq | wc -l; })
[[ $lines == 200000 ]] || { echo "FAILED: a slow reader has read $lines lines" && failed=1; }
# Nor does a rank's child that goes on writing.
expect 124 '' bash -c '{ "$@"; echo "$?" > "$0"; } | tail -n 1; exit "$(< "$0")"' "$work/code" \
  "$run" --label --timeout=1 sh -c 'yes & exit 0'
expect 141 '' bash -c '{ "$@"; echo "$?" > "$0"; } | head -n 1; exit "$(< "$0")"' "$work/code" "$run" --label sh -c 'yes & exit 0'
# The last output of a job that fails comes, also to a reader that is slow.
last=$({ "$run" --label sh -c 'seq 60000; echo last words; exit 3' 2> "$work/said" || true; } | { sleep 1; tail -n 1; })
[[ $last == '[0] last words' ]] || { echo "FAILED: the last line is '$last'" && failed=1; }
# A rank's exit code counts for more than a reader that is gone.
expect 5 'rank 0 ended with exit code 5' bash -c '{ "$@" 2> "$0.said"; echo "$?" > "$0"; } | true; cat "$0.said"; exit "$(< "$0")"' \
  "$work/code" "$run" --label sh -c 'sleep 0.3; echo; exit 5'
# Nor does a job go on less well because nobody reads what llclrun itself says.
expect 3 'done 1' bash -c '"$@" 2> /dev/full' full "$run" -n 2 --keep-going sh -c '[ $LLCL_RANK = 0 ] && exit 3; sleep 0.5; echo done $LLCL_RANK'
# Output and errors that are one pipe do not break each other's lines.
broken=$("$run" --label -n 2 sh -c 'for i in $(seq 300); do
  head -c 1500 /dev/zero | tr "\0" a; echo; { head -c 1500 /dev/zero | tr "\0" b; echo; } >&2
done' 2>&1 | { sleep 0.3; grep -cvE '^\[[01]\] (a{1500}|b{1500})$' || true; })
[[ $broken == 0 ]] || { echo "FAILED: $broken lines are broken" && failed=1; }
# Memory and time are bounded where no line ends.
bytes=$(timeout 20 "$run" --label sh -c 'head -c 30000000 /dev/zero | tr "\0" a' | tr -cd a | wc -c)
[[ $bytes == 30000000 ]] || { echo "FAILED: a line without an end has $bytes bytes" && failed=1; }
# Streams that the parent has closed.
expect 0 '[1] rank 1 of 2' bash -c '"$@" <&-' closed "$run" --label -n 2 "$program" exchange
expect 0 '' bash -c '"$@" <&- >&- 2>&-' closed "$run" --label -n 2 "$program" exchange
expect 0 '' bash -c '"$@" >&-' closed "$run" -n 2 "$program" exchange
# Each %r is the rank's number.
mkdir "$work/0" "$work/1"
expect 0 '' "$run" -n 2 --output="$work/%r/out.%r" sh -c 'echo "$PMI_RANK"'
[[ $(cat "$work/1/out.1") == 1 ]] || { echo "FAILED: rank 1 has no file of its own" && failed=1; }

# nohup has llclrun ignore SIGHUP, and a shell has its background ignore SIGINT; the job goes on.
for signal in HUP INT; do
  seconds=$(random_sleep)
  env --ignore-signal="$signal" "$run" -n 2 sh -c 'sleep "$1" & wait' sh "$seconds" &
  guard=$!
  become 2 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
  kill "-$signal" "$guard" "$(cat "/proc/$guard/task/$guard/children")"
  sleep 0.3
  [[ $(sleepers "$seconds") == 2 ]] || { echo "FAILED: SIG$signal ended the job that ignores it" && failed=1; }
  kill -TERM "$guard"
  wait "$guard" || true
  become 0 "$seconds" || { echo "FAILED: ranks outlive a SIGTERM" && failed=1; }
done

# A terminal: in the background llclrun does not read the lines that are typed, for which it would be stopped; in the
# foreground it does; and the interrupt key ends the job, with the last output of the ranks.
cat > "$work/terminal.py" << 'END'
import os, pty, signal, sys, time
task, command = sys.argv[1], sys.argv[2:]
signal.alarm(25)
leader, terminal = pty.fork()
if leader == 0:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.setpgid(0, 0)
        if task == "interrupt":
            time.sleep(0.2)  # until the parent has put it in the foreground
        os.execv(command[0], command)
    try:
        os.setpgid(job, job)
    except PermissionError:
        pass  # It has done so itself, and runs.
    if task == "foreground":
        time.sleep(1)
    if task != "background":
        os.tcsetpgrp(0, job)
    was_stopped = False
    while True:
        ended, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status) and task == "stop" and not was_stopped:
            was_stopped = True  # by the stop key; a shell's bg follows
            os.tcsetpgrp(0, os.getpgrp())
            os.killpg(job, signal.SIGCONT)
            print("stopped and gone on", flush=True)
            continue
        if os.WIFSTOPPED(status):
            os.killpg(job, signal.SIGKILL)
            os._exit(99)
        os._exit(os.waitstatus_to_exitcode(status))
shown = b""
os.set_blocking(terminal, False)
begun = time.time()
while True:
    try:
        shown += os.read(terminal, 4096)
    except BlockingIOError:
        pass
    except OSError:
        break  # All processes of the terminal have ended.
    if task == "interrupt" and b"ready" in shown:
        os.write(terminal, b"\x03")
        task = "interrupted"
    elif task == "stop" and time.time() - begun > 1:
        os.write(terminal, b"\x1a")
        task = "background"
        begun = time.time()
    elif task not in ("interrupted", "stop") and time.time() - begun < 2:
        os.write(terminal, b"typed\n")
    time.sleep(0.05)
_, status = os.waitpid(leader, 0)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
END
expect 0 '' python3 "$work/terminal.py" background "${on_hosts[@]}" sleep 1
expect 0 'rank 0 has typed' python3 "$work/terminal.py" foreground "${on_hosts[@]}" \
  sh -c '[ "$LLCL_RANK" = 1 ] || { read -r line && echo "rank 0 has $line"; }'
expect 130 'last words of 1' python3 "$work/terminal.py" interrupt "${on_hosts[@]}" bash -c '
  trap : INT
  trap "sleep 0.3; echo last words of $LLCL_RANK; exit" TERM
  [[ $LLCL_RANK == 0 ]] || touch "$0"
  while [[ $LLCL_RANK == 0 && ! -e $0 ]]; do sleep 0.05; done
  [[ $LLCL_RANK != 0 ]] || echo ready
  sleep 20 & wait; wait' "$work/trapped"
expect 0 'stopped and gone on' python3 "$work/terminal.py" stop "${on_hosts[@]}" sleep 3

# The signals by which a batch system warns reach the ranks, and the ranks have --kill-after seconds to end.
for job in "-n 2" "--host=127.0.0.1,localhost --launcher=$work/remote"; do
  rm -f "$work"/{ready,warned,saved}.*
  # shellcheck disable=SC2086
  "$run" $job --kill-after=20 bash -c '
    trap "touch $0/warned.$LLCL_RANK" USR1
    trap "sleep 2.5; touch $0/saved.$LLCL_RANK; exit" TERM
    touch "$0/ready.$LLCL_RANK"
    while true; do sleep 0.1; done' "$work" 2> "$work/said" &
  guard=$!
  for state in ready warned saved; do
    [[ $state != warned ]] || kill -USR1 "$guard"
    [[ $state != saved ]] || kill -TERM "$guard"
    for _ in $(seq 200); do [[ -e $work/$state.0 && -e $work/$state.1 ]] && break; sleep 0.05; done
    [[ -e $work/$state.0 && -e $work/$state.1 ]] || { echo "FAILED: $job: a rank is not $state" && failed=1; }
  done
  code=0
  wait "$guard" || code=$?
  [[ $code == 143 && $(< "$work/said") == *'got signal 15 (Terminated); ending the ranks'* ]] ||
    { echo "FAILED: $job: exit $code" && cat "$work/said" && failed=1; }
done

# A shell that runs its command here does not pass the ignored interrupt on.
expect 130 'was killed by signal 2' "${on_hosts[@]}" sh -c 'kill -INT $$'
# The end of the guard is the end of the job, whoever ignores signals.
seconds=$(random_sleep)
env --ignore-signal=TERM "$run" -n 2 sleep "$seconds" &
guard=$!
become 2 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
kill -KILL "$guard"
become 0 "$seconds" || { echo "FAILED: ranks outlive their guard" && failed=1; }
# Also where nobody reads the message of the guard.
exec {unread}> >(true)
wait $!
"$run" sh -c "setsid sleep $seconds > /dev/null 2>&1 & exec sleep $seconds" 2>&"$unread" &
become 2 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
launcher=$(tr -d " " < "/proc/$!/task/$!/children")
kill -KILL "$launcher"
become 0 "$seconds" || { echo "FAILED: children of ranks outlive the launcher" && failed=1; }
exit $failed
