#!/usr/bin/env bash
# Which of llclrun's words are the program's, and the errors of wrong ones: a table.
set -euo pipefail

run=$1
failed=0

# whole CODE OUTPUT WORD...: llclrun's exit code, and all of its output.
whole() {
  local code=$1 expected=$2 got=0 output
  shift 2
  output=$(timeout --kill-after=5 60 "$run" "$@" 2>&1) || got=$?
  [[ $got == "$code" && $output == "$expected" ]] && return
  echo "FAILED: llclrun $*: exit $got, expected $code and '$expected':" && echo "$output"
  failed=1
}
# refused PART WORD...: exit code 2, one line with llclrun's name and this part.
refused() {
  local part=$1 got=0 output
  shift
  output=$(timeout --kill-after=5 60 "$run" "$@" 2>&1) || got=$?
  [[ $got == 2 && $output == "llclrun: "*"$part"* && $(wc -l <<< "$output") == 1 ]] && return
  echo "FAILED: llclrun $*: exit $got, expected 2 and one line with '$part':" && echo "$output"
  failed=1
}

# What follows the program's name is the program's.
whole 0 '--label hi' -n 1 -- echo --label hi
whole 0 '--label hi' -n 1 echo --label hi
whole 0 '-- hi' echo -- hi
whole 0 'a --ranks 7 -- --help' -n 1 echo a --ranks 7 -- --help
whole 0 "--" -- echo --
whole 0 '[0] x --keep-going' --label -n1 echo x --keep-going
whole 0 '[0] x' -n 1 --label -- echo x
whole 0 '[0] x' --label --ranks=1 --conduit smp echo x
whole 3 'llclrun: rank 0 ended with exit code 3; ending the others' -n 1 sh -c 'exit 3'

refused 'no program'
refused 'no program' -n 2
refused 'no program' -n 2 --
refused '--lable' --lable -n 1 echo
refused '--lable' -n 1 --lable -- echo
refused '-x' -x 1 echo
refused '0' -n 0 echo
refused '-1' -n -1 echo
refused '-1' --ranks=-1 echo
refused '4097' -n 4097 echo
refused '99999999999999999999' -n 99999999999999999999 echo
refused '1.5' -n 1.5 echo
refused 'two' -n two echo
refused '--ranks' -n
refused '-5' --port=-5 echo
refused '65536' --port 65536 echo
refused 'udp' --conduit=udp echo
refused '/nowhere/hosts' --hostfile=/nowhere/hosts echo
refused '--label' --label=maybe echo
refused '--conduit' --conduit=smp --conduit=ofi echo

# llclrun notices ended children also where its parent ignored their signals.
(
  run=(env --ignore-signal=CHLD "$run")
  ignored=$(timeout --kill-after=5 60 "${run[@]}" -n 1 sh -c 'exit 3' 2>&1) && ignored+=' and nothing'
  [[ $ignored == 'llclrun: rank 0 ended with exit code 3; ending the others' ]] || { echo "FAILED: with SIGCHLD ignored: $ignored" && exit 1; }
) || failed=1

exit $failed
