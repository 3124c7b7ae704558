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
# A reader that has stopped does not hold up the end of the job, and a slow one gets all.
expect 124 'has not ended within 1 s' bash -c '{ "$@"; echo "$?" > "$0"; } | sleep 10; exit "$(< "$0")"' "$work/code" \
  timeout 8 "$run" --label --timeout=1 -n 2 yes
lines=$("$run" --label -n 2 seq 100000 | { sleep 1; sort | uniq | wc -l; })
[[ $lines == 200000 ]] || { echo "FAILED: a slow reader has read $lines lines" && failed=1; }
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
    while True:
        ended, status = os.waitpid(job, os.WUNTRACED)
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
    elif task != "interrupted" and time.time() - begun < 2:
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
  trap "sleep 0.3; echo last words of $LLCL_RANK; exit" TERM
  trap : INT
  [[ $LLCL_RANK == 0 ]] && sleep 0.5 && echo ready
  sleep 20 & wait; wait'
exit $failed
