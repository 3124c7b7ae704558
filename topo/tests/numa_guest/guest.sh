# Sourced by the scripts that boot a guest: the boot of a QEMU machine, and the verdict on it.

fail() { echo "boot: $1" >&2 && exit 1; }

# boot_once SILENCE SECONDS KERNEL-ARGUMENTS QEMU-ARGUMENT...: prints the console, and keeps it in $work/console. A guest
# whose first process has not started after SILENCE seconds, and any guest after SECONDS, is ended. Sets code: QEMU's, or
# 124 for a guest that was ended.
boot_once() {
  local end=$((SECONDS + $1)) seconds=$2 kernel_arguments=$3 guest line left got=0
  shift 3
  : > "$work/console"
  # cryptomgr.notests: the kernel's tests of its own cryptography take a processor for long, where that is emulated.
  exec 3< <(exec timeout --kill-after=5 "$seconds" qemu-system-x86_64 "$@" -nodefaults -display none -no-reboot \
    -serial stdio -append "console=ttyS0 panic=-1 mitigations=off cryptomgr.notests=1 $kernel_arguments" < /dev/null)
  guest=$!
  while
    left=$((end - SECONDS))
    IFS= read -r -t $((left > 0 ? left : 1)) line <&3 || { got=$? && false; }
  do
    printf '%s\n' "${line//$'\r'/}" | tee -a "$work/console"
    [[ $line != GUEST-* ]] || end=$((SECONDS + seconds + 10))
    ((SECONDS < end)) || { got=142 && break; }
  done
  exec 3<&-
  # Above 128: no end of the guest, but of the time.
  if ((got > 128)); then
    kill "$guest" 2> /dev/null || true
    wait "$guest" || true
    code=124
  else
    code=0
    wait "$guest" || code=$?
  fi
}

# run_guest SILENCE SECONDS RUNS KERNEL-ARGUMENTS QEMU-ARGUMENT...: boots a guest, and fails unless each of its RUNS ended well.
#
# On a busy machine a boot hangs at times before the kernel starts its first process; the kernel then prints nothing, or
# complains of a processor that is stuck. Such a guest is booted once more, and its kernel then says how far it comes.
run_guest() {
  local silence=$1 seconds=$2 runs=$3 kernel_arguments=$4 code
  shift 4
  boot_once "$silence" "$seconds" "quiet $kernel_arguments" "$@"
  if [[ $code == 124 ]] && ! grep -q '^GUEST-' "$work/console"; then
    echo "boot: the kernel started no process within $silence s; booting once more." >&2
    boot_once "$seconds" "$seconds" "$kernel_arguments" "$@"
  fi
  [[ $code != 124 ]] || fail "the guest did not end within $seconds s."
  [[ $code == 0 ]] || fail "QEMU ended with $code."
  ! grep -q '^GUEST-BROKEN' "$work/console" || fail "the guest could not be set up (GUEST-BROKEN above)."
  grep -q '^GUEST-DONE' "$work/console" || fail "the guest ended before its programs did."
  [[ $(grep -c '^GUEST-ENDED: .*: 0$' "$work/console") == "$runs" ]] || fail "a program failed (GUEST-ENDED above)."
  ! grep -q '^\[==========\] Running 0 tests' "$work/console" || fail "a filter matched no test."
}
