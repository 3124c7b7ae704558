# Sourced by tests of the program, which is $program; see tools/expect.sh.

# counts EXPECTED FLAGS...: tasks, copies to devices, to the host and across, the least; with numbers.
counts() {
  local expected=$1 output got
  shift
  output=$(timeout "${bound:-100}" "$program" --n=1024 --block=32 --json=- "$@" 2> /dev/null) || true
  got=$(sed -nE 's/.*"(tasks|copies_(h2d|d2h|d2d|minimum))": ([0-9]+).*/\3/p' <<< "$output" | paste -sd/)
  [[ $got == "$expected" ]] || { echo "FAILED: $*: expected $expected, got $got:" && echo "$output" && failed=1; }
}
