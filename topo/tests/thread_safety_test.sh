#!/usr/bin/env bash
# clang's thread-safety analysis refuses what the annotations of topo/mutex.h and topo/spin_lock.h forbid.
set -euo pipefail

if ! command -v clang++-14 > /dev/null; then
  echo "SKIPPED: the analysis is clang's: install the Debian package clang-14"
  exit 0
fi

# compiles MUTEX BODY: a function of a class whose `count_` is guarded.
compiles() {
  clang++-14 -std=c++20 -fsyntax-only -I. -Wthread-safety -Werror=thread-safety -x c++ - << END
#include "topo/mutex.h"
#include "topo/spin_lock.h"
class Counter {
 public:
  void Add() { $2 }
  void AddHeld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { ++count_; }
 private:
  topo::$1 mutex_;
  topo::ConditionVariable changed_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
};
END
}

for mutex in Mutex SpinLock; do
  compiles $mutex 'const topo::Lock lock(mutex_); ++count_;'
  compiles $mutex 'const topo::Lock lock(mutex_); AddHeld();'
  compiles $mutex 'topo::UniqueLock lock(mutex_); ++count_; lock.Unlock(); lock.Lock(); ++count_;'
  for wrong in '++count_;' 'AddHeld();' 'const topo::Lock lock(mutex_); const topo::Lock again(mutex_);' \
    'topo::UniqueLock lock(mutex_); lock.Unlock(); ++count_;' 'mutex_.Lock(); ++count_;'; do
    if compiles $mutex "$wrong" 2> messages; then
      echo "clang accepts, with a $mutex: $wrong" && exit 1
    fi
    grep -q 'Wthread-safety' messages || { cat messages && exit 1; }
  done
done
compiles Mutex 'const topo::Lock lock(mutex_); while (count_ == 0) changed_.Wait(mutex_);'
! compiles Mutex 'changed_.Wait(mutex_);' 2> /dev/null
