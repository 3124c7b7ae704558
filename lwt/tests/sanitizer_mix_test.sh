#!/usr/bin/env bash
# A file and an lwt of which one is compiled with a sanitizer and the other is not do not link, and the linker's error
# has the reason in it.
# usage: sanitizer_mix_test.sh ARCHIVE...   lwt's
set -euo pipefail
compiler=g++
if ! command -v $compiler > /dev/null; then
  echo "SKIPPED: there is no $compiler."
  exit 0
fi
cat > "$TEST_TMPDIR/user.cc" << 'END'
#include "lwt/mutex.h"
int main() {
  lwt::Mutex mutex;
  mutex.lock();
  mutex.unlock();
}
END
linked=0
for configuration in '' -fsanitize=address -fsanitize=thread; do
  case $configuration in
    *address) symbol=lwt_must_be_compiled_with_address_sanitizer_as_this_file_is ;;
    *thread) symbol=lwt_must_be_compiled_with_thread_sanitizer_as_this_file_is ;;
    *) symbol=lwt_must_be_compiled_without_sanitizers_as_this_file_is ;;
  esac
  $compiler -std=c++20 -O1 -ffunction-sections -fdata-sections $configuration -I. -c "$TEST_TMPDIR/user.cc" -o "$TEST_TMPDIR/user.o"
  # Other libraries are left out, whose symbols are undefined in each case.
  errors=$($compiler $configuration -Wl,--gc-sections "$TEST_TMPDIR/user.o" "$@" -o "$TEST_TMPDIR/user" 2>&1) || true
  if ! grep -q "undefined reference to .$symbol" <<< "$errors"; then
    linked=$((linked + 1))
    echo "compiled with '$configuration' as lwt is"
    if ! nm "$@" 2> "$TEST_TMPDIR/nm.txt" | grep "[DBR] $symbol" > "$TEST_TMPDIR/nm.txt"; then
      echo "lwt does not define $symbol, and the linker says nothing:"
      echo "$errors"
      exit 1
    fi
  fi
done
if ((linked != 1)); then
  echo "$linked configurations are taken for lwt's, not one"
  exit 1
fi
