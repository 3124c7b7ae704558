#!/usr/bin/env bash
# Each function that the system's thread headers declare is one of lwt's for a program that reads lwt/pthread.h first,
# or an undefined symbol that names it; and each that is to be lwt's is defined.
#
# Usage: pthread_names_test.sh LWT_PTHREAD_H LIBRARY_OR_OBJECT...
set -euo pipefail
header=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# A function that takes the address of each, so that the object needs it.
printf '#define _GNU_SOURCE\n#include <pthread.h>\n#include <semaphore.h>\n#include <signal.h>\n#include <threads.h>\n' > "$work/headers.c"
names=$(gcc -E -P "$work/headers.c" | tr '\n' ' ' | grep -oE '\b(pthread|sem|thrd|mtx|cnd|tss)_[a-z0-9_]+ *\(|\bcall_once *\(' |
  tr -d ' (' | sort -u | grep -vE '_t$')
[[ $(wc -l <<< "$names") -ge 100 ]]
{
  cat "$work/headers.c"
  printf 'void* needed[] = {\n'
  # Some that the header only has as macros or types are none.
  for name in $names; do printf '(void*)&%s,\n' "$name"; done
  printf '};\n'
} > "$work/all.c"
gcc -w -include "$header" -fexceptions -c "$work/all.c" -o "$work/all.o"
for symbol in $(nm -u "$work/all.o" | awk '{print $2}'); do
  case $symbol in
    lwt_*) ;;
    # By older names with _np, which the header binds to these itself. They refuse lwt's mutexes, as not robust, and
    # lwt's pthread_mutex_init refuses what they make of attributes.
    pthread_mutex_consistent | pthread_mutexattr_getrobust | pthread_mutexattr_setrobust) ;;
    *) echo "$symbol would be the system's"; failed=1 ;;
  esac
done

# What is renamed to lwt's own is there.
nm "$@" 2> /dev/null | awk '$2 == "T" {print $3}' | sort -u > "$work/defined"
grep -oE 'redefine_extname [a-z0-9_]+ lwt_[a-z0-9_]+' "$header" | awk '{print $3}' |
  grep -vE '^lwt_(does_not_cover|needs_fexceptions)_' | sort -u > "$work/promised"
[[ $(wc -l < "$work/promised") -ge 100 ]]
missing=$(comm -13 "$work/defined" "$work/promised")
[[ -z $missing ]] || { echo "not defined: $missing"; failed=1; }
# The functions that take the places of others for LWT_PROCESS_SHARED_IS_PRIVATE are among these.
[[ $(grep -c '^lwt_private_' "$work/promised") -ge 6 ]]

# The link of a program that starts a thread of C11 names what is missing.
printf '#include <threads.h>\nint main(void) { return thrd_equal(thrd_current(), thrd_current()); }\n' > "$work/c11.c"
if gcc -include "$header" "$work/c11.c" -o "$work/c11" 2> "$work/errors"; then
  echo 'a program with thrd_current was linked'
  failed=1
fi
grep -q 'lwt_does_not_cover_thrd_current' "$work/errors" || { cat "$work/errors"; failed=1; }

# errno is asked for at each use, in all dialects and without a warning; its address needs a macro where gcc has an
# address space for it.
printf '#include <errno.h>\nint f(void);\nint f(void) { errno |= 1; return errno == 1 ? 0 : *__errno_location(); }\n' > "$work/errno.c"
for dialect in '-std=c90' '-std=gnu90' '-std=c11' '-std=gnu17' '-DLWT_PTHREAD_ERRNO_HAS_ADDRESS' \
  '-x c++ -DLWT_PTHREAD_IN_CXX -std=c++98' '-x c++ -DLWT_PTHREAD_IN_CXX -std=c++20'; do
  # shellcheck disable=SC2086
  gcc $dialect -pedantic -Wall -Wextra -Werror -include "$header" -c "$work/errno.c" -o "$work/errno.o" || failed=1
  undefined=$(nm -u "$work/errno.o")
  if [[ $undefined == *' __errno_location'* || $undefined != *' lwt_pthread_errno'* ]]; then
    echo "errno of $dialect is the system's"
    failed=1
  fi
done
printf '#include <errno.h>\nint *f(void) { return &errno; }\n' > "$work/address.c"
gcc -DLWT_PTHREAD_ERRNO_HAS_ADDRESS -include "$header" -c "$work/address.c" -o "$work/address.o" || failed=1

# No C++ by accident, and not after the system's header.
for refused in '-x c++' '-include pthread.h -include'; do
  # shellcheck disable=SC2086
  if gcc ${refused/% -include/} -include "$header" -c "$work/c11.c" -o "$work/c11.o" 2> "$work/errors"; then
    echo "accepted: $refused"
    failed=1
  fi
  grep -q 'lwt/pthread.h' "$work/errors" || { cat "$work/errors"; failed=1; }
done
exit $failed
