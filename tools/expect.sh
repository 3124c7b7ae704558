# Sourced by tests of programs, from the workspace's root.
failed=0

# expect CODE TEXT COMMAND...: its exit code (`some` is any but 0), and a part of its output, within a
# minute, or `bound` seconds.
expect() {
  local code=$1 text=$2 got=0 output
  shift 2
  output=$(timeout --kill-after=5 "${bound:-60}" "$@" 2>&1) || got=$?
  [[ $code == some && $got != 0 && $got != 124 ]] && code=$got
  if [[ $got != "$code" || $output != *"$text"* ]]; then
    echo "FAILED: $*: exit $got, expected $code and '$text':" && echo "$output"
    failed=1
  fi
}
