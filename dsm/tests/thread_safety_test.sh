#!/usr/bin/env bash
# clang's thread-safety analysis refuses uses of dsm's parts without the mutex that guards them.
set -euo pipefail

if ! command -v clang++-14 > /dev/null; then
  echo "SKIPPED: the analysis is clang's: install the Debian package clang-14"
  exit 0
fi

# In a release the libraries that dsm requires are repositories beside it.
folders=(-I.)
for folder in ../vicinity_*; do
  [[ ! -d $folder ]] || folders+=("-I$folder")
done

# compiles BODY: a function that is given a sender and the route of a batch.
compiles() {
  clang++-14 -std=c++20 -fsyntax-only "${folders[@]}" -Wthread-safety -Werror=thread-safety -x c++ - << END
#include "dsm/release/change_batch.h"
#include "dsm/release/message_kinds.h"
#include "topo/mutex.h"
void Use(dsm::ChangeSender& sender, const dsm::ChangeRoute& route) { $1 }
END
}

compiles 'const topo::Lock lock(sender.mutex()); dsm::ChangeBatch batch(sender, route, dsm::kChanges); batch.Settle();'
compiles 'const topo::Lock lock(sender.mutex()); (void)sender.EndEpoch();'
for wrong in '(void)sender.EndEpoch();' '(void)sender.WaitForAcknowledgments();' \
  '(void)sender.Send(0, dsm::kHeld, {});' 'dsm::ChangeBatch batch(sender, route, dsm::kChanges); batch.Settle();' \
  'const topo::Lock lock(sender.mutex()); const topo::Lock again(sender.mutex());'; do
  if compiles "$wrong" 2> messages; then
    echo "clang accepts: $wrong" && exit 1
  fi
  grep -q 'Wthread-safety' messages || { cat messages && exit 1; }
done
