# shellcheck shell=bash
# For tests to source: processes that show whether a job has started and ended. Each test sleeps for a time of its own,
# random_sleep, so that tests beside each other count only their own.

random_sleep() { echo "300.$RANDOM$RANDOM"; }

# sleepers SECONDS: how many processes sleep so long.
sleepers() { grep -alx "sleep.$1." /proc/[0-9]*/cmdline 2> /dev/null | wc -l; }

# become COUNT SECONDS: waits until so many sleep so long; fails after ten seconds.
become() {
  for _ in $(seq 200); do
    [[ $(sleepers "$2") == "$1" ]] && return
    sleep 0.05
  done
  return 1
}
