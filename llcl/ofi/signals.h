// Signals that libraries take when libfabric is loaded are given back.
//
// Debian's libfabric needs libinfinipath, whose constructor takes SIGSEGV, SIGBUS, SIGILL, SIGABRT,
// SIGINT and SIGTERM of every program that is linked with it: a wild pointer, or Ctrl-C, then ends
// the program with exit code 1 and a file of addresses, not by the signal. psm2 does so where
// HFI_BACKTRACE is set. Neither can be asked not to before it has: they are loaded with the
// program. So what theirs is after loading becomes the system's own again, before main begins; and
// whoever takes a signal later is left alone.
//
// Threads: as sigaction.
#pragma once

#include <signal.h>

#include <array>

namespace llcl {

// Gives the system the signals that a library of libfabric's handles; how many. Done once before
// main, in any program that opens llcl.
int GiveBackSignals();

// While it lives others may take signals: at its end all are whose they were. Around what makes
// libfabric load or start something. A resource.
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
