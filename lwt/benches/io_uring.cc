// Ours with io_uring, beside ours with epoll (lwt.cc). No rows where the kernel has none for us.
#include "lwt/benches/io.h"

int main(int argc, char** argv) {
  constexpr auto kIoUring = lwt::IoBackend::kIoUring;
  const auto pool = lwt::Pool::Create({.workers = 1, .io_backend = kIoUring});
  if (pool.ok()) problems::io::RegisterAll("io_uring", kIoUring);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
