#!/usr/bin/env bash
# The C interface, with the options that it takes from the environment, and what it refuses.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
bound=40
memory=$(mktemp)
trap 'rm -f "$memory"' EXIT

expect 0 'all of 1 processes are right' "$run" -n 1 "$program"
expect 0 'all of 4 processes are right' "$run" -n 4 "$program"
expect 0 'all of 3 processes are right' env SMS_ENGINE=segv SMS_PAGE_BYTES=8192 "$run" -n 3 "$program"
printf 'memory 1M\nhome 50%%\ncache 120K\n' > "$memory"
expect 0 'all of 2 processes are right' env SMS_MEMORY="$memory" "$run" -n 2 "$program"
printf 'memory 1M\nhome 8K\n' > "$memory"
expect 2 'has room for 2 pages at home (8192 bytes), and 0 are taken: not for ' \
  env SMS_MEMORY="$memory" "$run" -n 2 "$program"
printf 'memory 1M\ncache 5K\n' > "$memory"
expect 2 'cache_bytes is 4096: it is 0, or 8192 at least: 2 pages' env SMS_MEMORY="$memory" "$run" -n 1 "$program"
printf 'memory 1M\n\ncache lots\n' > "$memory"
expect 2 "$memory:3: 'lots' is no size; expected bytes, as 16G, or a part of the memory, as 30%" \
  env SMS_MEMORY="$memory" "$run" -n 1 "$program"
expect 2 'SMS_MEMORY is /no/such/file, which cannot be read' env SMS_MEMORY=/no/such/file "$run" -n 1 "$program"
expect 2 'SMS_ENGINE is magic, but there are userfaultfd and segv' env SMS_ENGINE=magic "$run" -n 1 "$program"
expect 2 'SMS_PAGE_BYTES is 0' env SMS_PAGE_BYTES=0 SMS_MEMORY="$memory" "$run" -n 1 "$program"
expect 2 'SMS_BYTES is much, not a number of bytes' env SMS_BYTES=much "$run" -n 1 "$program"
expect 2 'an access is SMS_READ, SMS_WRITE or SMS_OVERWRITE, not 7' "$run" -n 1 "$program" bad-access
expect 2 'sms_mapalloc: -1 dimensions: there is no such array' "$run" -n 1 "$program" bad-dims
expect 2 'sms_preload: the 4 bytes at ' "$run" -n 1 "$program" outside
expect 2 'pages left at its end, and no ' env SMS_BYTES=1048576 "$run" -n 1 "$program" too-much
exit $failed
