#!/usr/bin/env bash
# The commands of tools/ speak with one voice: --help prints the usage and exits 0; what a command cannot do is exit
# code 2 and one line on standard error that begins with its name, and nothing on standard output.
set -uo pipefail

# Each command with arguments that it cannot follow; a command may have several lines.
cannot=(
  "api --nosuch"
  "api nosuch"
  "api --since=x"
  "bazel --nosuch"
  "bench topo --nosuch"
  "bench nosuch"
  "compile_commands --nosuch"
  "count_tests.py --nosuch"
  "consumer nosuch"
  "consumer --modules together"
  "coverage --nosuch"
  "demo nosuch"
  "format --nosuch"
  "format nosuch.cc"
  "fresh --nosuch"
  "paper --nosuch"
  "paper nosuch"
  "paper --only=nosuch"
  "fresh --cache=/nosuch"
  "guest_kernel --nosuch"
  "layering/check_headers.py --nosuch"
  "layering/check_headers.py nosuch.h"
  "layering/check_includes.py --nosuch"
  "layering/check_includes.py nosuch.cc"
  "layering/check_purity.py --nosuch"
  "layering/check_purity.py nosuch.h"
  "layout/check_layout.py"
  "layout/check_layout.py --nosuch"
  "layout/check_layout.py --widths=wide page.html"
  "packages --nosuch"
  "prose/check_prose.py --nosuch"
  "prose/check_prose.py nosuch.md"
  "release"
  "release nosuch"
  "release ./topo"
  "release topo --trial --output=/nosuch"
  "release topo --nosuch"
  "sdplib"
  "sdplib /nosuch"
  "sdplib --nosuch"
  "test --seed=1"
  "workspace_status --nosuch"
)

# What a command does not know may be an option of Bazel, whose own message stands before the command's. This Bazel
# refuses all and is silent.
scratch=$(mktemp -d "${TEST_TMPDIR:-/tmp}/voice.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
printf '#!/bin/sh\nexit 2\n' > "$scratch/bazel"
chmod +x "$scratch/bazel"
export PATH="$scratch:$PATH"
unset BAZEL_REAL

failed=0
complain() {
  echo "FAILED: tools/$1"
  sed 's/^/  stdout: /' "$scratch/stdout"
  sed 's/^/  stderr: /' "$scratch/stderr"
  failed=1
}
# run ARGUMENT...: sets `code`.
run() { timeout --kill-after=5 60 "tools/$1" "${@:2}" > "$scratch/stdout" 2> "$scratch/stderr" < /dev/null; code=$?; }

helped=
for line in "${cannot[@]}"; do
  read -ra words <<< "$line"
  name=${words[0]}
  if [[ $name != "$helped" ]]; then
    run "$name" --help
    if [[ $code != 0 || -s $scratch/stderr ]] || ! grep -qF "usage: tools/$name" "$scratch/stdout"; then
      complain "$name --help: exit $code, expected 0 and 'usage: tools/$name' on standard output"
    fi
    helped=$name
  fi
  run "${words[@]}"
  if [[ $code != 2 || -s $scratch/stdout || $(wc -l < "$scratch/stderr") != 1 ]] ||
    ! grep -q "^tools/$name: .*\.$" "$scratch/stderr"; then
    complain "$line: exit $code, expected 2 and one line 'tools/$name: ...' on standard error"
  fi
done
exit $failed
