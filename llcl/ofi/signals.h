// Signals that libraries take when libfabric is loaded are given back.
//
// Debian's libfabric needs libinfinipath, whose constructor takes SIGSEGV, SIGBUS, SIGILL, SIGABRT,
// SIGINT and SIGTERM of every program that is linked with it: a wild pointer, or Ctrl-C, then ends
// the program with exit code 1 and a file of addresses, not by the signal. psm2 does so where
// HFI_BACKTRACE is set. Neither can be prevented, as both are loaded with the program. So signals
// that are theirs after loading get the system's default again, before main begins; handlers that
// are installed later stay.
//
// Threads: as sigaction.
#pragma once

#include <signal.h>

#include <array>

namespace llcl {

// Sets the signals that a library of libfabric's handles to the default; returns how many. Done
// once before main, in any program that opens llcl.
int GiveBackSignals();

// Restores at its end the handlers that it found, if libraries take signals meanwhile. Used around
// calls by which libfabric loads or starts something. A resource.
class KeptSignals {
 public:
  KeptSignals();
  ~KeptSignals();
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array<int, 7> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGABRT,
                                                  SIGFPE,  SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace llcl
