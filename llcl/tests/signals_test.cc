#include "llcl/ofi/signals.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <signal.h>

#include <cstdlib>
#include <string>

#include "llcl/endpoint.h"
#include "llcl/ofi/fabric.h"
#include "llcl/sim/conduit.h"

namespace llcl {
namespace {

// Is there a library in this process that takes signals when it is loaded?
bool HasInfinipath() {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void*) {
               return std::string(info->dlpi_name).find("libinfinipath") != std::string::npos ? 1
                                                                                              : 0;
             },
             nullptr) != 0;
}

std::string OwnerOf(int signal) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_DFL) return "the system";
  Dl_info found = {};
  (void)dladdr(reinterpret_cast<void*>(action.sa_handler), &found);
  return found.dli_fname == nullptr ? "somebody" : found.dli_fname;
}

void TouchNothing() { *reinterpret_cast<volatile int*>(std::strtoul("16", nullptr, 10)) = 1; }

TEST(Signals, ThatALibraryTookWhenItWasLoadedAreTheSystemsWhenMainBegins) {
  if (!HasInfinipath()) GTEST_SKIP() << "this machine's libfabric has no libinfinipath";
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGINT, SIGTERM}) {
    EXPECT_EQ(OwnerOf(signal).find("infinipath"), std::string::npos) << signal;
  }
}

TEST(Signals, AWildPointerEndsAProgramWithALibfabricEndpointByItsSignal) {
  EXPECT_EXIT(TouchNothing(), testing::KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(
      {
        const auto fabric = OfiFabric::OpenFirst("", "", "127.0.0.1");
        if (!fabric.ok()) std::abort();
        TouchNothing();
      },
      testing::KilledBySignal(SIGSEGV), "^$");
}

void Ours(int) {}

TEST(Signals, ThatAProgramTookStayItsOwn) {
  struct sigaction ours = {}, before, now;
  ours.sa_handler = &Ours;
  sigaction(SIGTERM, &ours, &before);
  EXPECT_EQ(GiveBackSignals(), 0);
  {
    const KeptSignals kept;
    signal(SIGTERM, SIG_IGN);
  }
  sigaction(SIGTERM, &before, &now);
  EXPECT_EQ(now.sa_handler, &Ours);
}

}  // namespace
}  // namespace llcl
