// A rank for kubernetes_test.sh: joins, prints a line, and goes on when the file of the argument
// exists; then all ranks meet once more.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "";
  llcl::Job job = llcl::OrFail(llcl::Join());
  llcl::Endpoint& endpoint = *job.endpoint;
  std::printf("rank %d of %d is here\n", ToInt(endpoint.rank()), endpoint.size());
  std::fflush(stdout);
  while (access(file.c_str(), F_OK) != 0) usleep(10'000);
  llcl::Require(
      llcl::PostAndWait(endpoint, [&](auto then) { return endpoint.world().TryBarrier(then); }) ==
          llcl::Outcome::kDone,
      "the ranks do not meet");
  std::printf("rank %d of %d is done\n", ToInt(endpoint.rank()), endpoint.size());
  return 0;
}
