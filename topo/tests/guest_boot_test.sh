#!/usr/bin/env bash
# A guest that starts no process is booted once more; a guest that has started one is not. QEMU is a script here.
set -euo pipefail

mkdir "$TEST_TMPDIR/bin"
cat > "$TEST_TMPDIR/bin/qemu-system-x86_64" << 'END'
#!/usr/bin/env bash
echo "$*" >> "$TEST_TMPDIR/boots"
case "$1 $(wc -l < "$TEST_TMPDIR/boots")" in
  'hangs 1' | hangs-always*) exec sleep 60 ;;
  'complains 1') for ((i = 0; i < 60; ++i)); do echo 'watchdog: BUG: soft lockup' && sleep 1; done ;;
  stops*) echo GUEST-STARTED && exec sleep 60 ;;
  refuses*) exit 1 ;;
  fails*) printf 'GUEST-STARTED\r\nGUEST-ENDED: program (nodes:4): 1\r\nGUEST-DONE\r\n' ;;
  *) printf 'GUEST-STARTED\r\nGUEST-ENDED: program (nodes:4): 0\r\nGUEST-DONE\r\n' ;;
esac
END
chmod +x "$TEST_TMPDIR/bin/qemu-system-x86_64"
export PATH=$TEST_TMPDIR/bin:$PATH
work=$TEST_TMPDIR
source topo/tests/numa_guest/guest.sh

# expect GUEST CODE BOOTS TEXT
expect() {
  local code=0 output boots
  rm -f "$TEST_TMPDIR/boots"
  output=$( (run_guest 4 12 1 '' "$1") 2>&1) || code=$?
  boots=$(wc -l < "$TEST_TMPDIR/boots")
  [[ $code == "$2" && $boots == "$3" && $output == *"$4"* ]] ||
    { echo "$1: code $code, $boots boots, expected $2, $3, '$4':" && echo "$output" && exit 1; }
}
expect runs 0 1 GUEST-DONE
expect hangs 0 2 'booting once more'
expect complains 0 2 'booting once more'
expect hangs-always 1 2 'did not end within 12 s'
expect stops 1 1 'did not end within 12 s'
expect refuses 1 1 'QEMU ended with 1'
expect fails 1 1 'a program failed'
# The kernel's messages come with the second boot only.
expect hangs 0 2 ''
[[ $(sed -n 1p "$TEST_TMPDIR/boots") == *quiet* && $(sed -n 2p "$TEST_TMPDIR/boots") != *quiet* ]]
