#include "tools/hostile/host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <map>
#include <sstream>

namespace hostile {
namespace {

const std::map<std::string, int, std::less<>> kCalls = {
    {"epoll_create1", SYS_epoll_create1},
    {"eventfd2", SYS_eventfd2},
    {"get_mempolicy", SYS_get_mempolicy},
    {"getcpu", SYS_getcpu},
    {"getrandom", SYS_getrandom},
    {"io_uring_setup", SYS_io_uring_setup},
    {"madvise", SYS_madvise},
    {"mbind", SYS_mbind},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"move_pages", SYS_move_pages},
    {"pidfd_open", SYS_pidfd_open},
    {"preadv2", SYS_preadv2},
    {"pwritev2", SYS_pwritev2},
    {"process_vm_readv", SYS_process_vm_readv},
    {"rseq", SYS_rseq},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"set_mempolicy", SYS_set_mempolicy},
    {"timerfd_create", SYS_timerfd_create},
    {"userfaultfd", SYS_userfaultfd},
};
const std::map<std::string, int, std::less<>> kErrors = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}};
const std::map<std::string, int, std::less<>> kLimits = {
    {"as", RLIMIT_AS}, {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}};

// False: the word is neither a refused call nor a limit.
bool Add(const std::string& word, Host& host) {
  const std::size_t at = word.find_first_of(":=");
  if (at == std::string::npos) return word == "any";
  const std::string name = word.substr(0, at), value = word.substr(at + 1);
  if (word[at] == ':') {
    const auto call = kCalls.find(name);
    const auto error = kErrors.find(value);
    if (call == kCalls.end() || error == kErrors.end()) return false;
    host.calls.push_back({call->second, error->second});
    return true;
  }
  const auto limit = kLimits.find(name);
  unsigned long most = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), most);
  if (limit == kLimits.end() || error != std::errc() || end != value.data() + value.size()) {
    return false;
  }
  host.limits.push_back({limit->second, most});
  return true;
}

bool Refuse(const std::vector<Host::RefusedCall>& calls) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Host::RefusedCall& call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 1));
    filter.push_back(
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(call.error)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

std::optional<Host> HostOf(std::string_view text, std::string& fault) {
  Host host;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (Add(word, host)) continue;
    fault = word;
    return std::nullopt;
  }
  return host;
}

bool MoveTo(const Host& host) {
  for (const Host::Limit& limit : host.limits) {
    const rlimit both = {limit.most, limit.most};
    if (setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) != 0) return false;
  }
  return host.calls.empty() || Refuse(host.calls);
}

}  // namespace hostile
