#include "topo/pu_set.h"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "absl/strings/str_cat.h"

// Of OpenMP 4.5; null in a program without an OpenMP runtime.
extern "C" {
int omp_get_num_places() __attribute__((weak));
int omp_get_place_num_procs(int place) __attribute__((weak));
void omp_get_place_proc_ids(int place, int* ids) __attribute__((weak));
}

namespace topo {
namespace {

constexpr int kWordBits = sizeof(unsigned long) * CHAR_BIT;

}  // namespace

void PuSet::Insert(PuId pu) {
  const std::size_t word = ToInt(pu) / kWordBits;
  if (words_.size() <= word) words_.resize(word + 1, 0);
  words_[word] |= 1UL << (ToInt(pu) % kWordBits);
}

bool PuSet::Contains(PuId pu) const {
  if (ToInt(pu) < 0) return false;
  const std::size_t word = ToInt(pu) / kWordBits;
  return word < words_.size() && (words_[word] >> (ToInt(pu) % kWordBits) & 1) != 0;
}

int PuSet::size() const {
  int count = 0;
  for (unsigned long word : words_) count += __builtin_popcountl(word);
  return count;
}

std::vector<PuId> PuSet::pus() const {
  std::vector<PuId> pus;
  for (int i = 0; i < static_cast<int>(words_.size()) * kWordBits; ++i) {
    if (Contains(PuId{i})) pus.push_back(PuId{i});
  }
  return pus;
}

std::string PuSet::ToString() const {
  std::string text;
  const std::vector<PuId> all = pus();
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && ToInt(all[last + 1]) == ToInt(all[last]) + 1) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", ToInt(all[i]));
    if (last > i) absl::StrAppend(&text, "-", ToInt(all[last]));
    i = last + 1;
  }
  return text.empty() ? "nothing" : text;
}

namespace {

// The system as a whole refuses the call, as opposed to this request.
bool IsForbidden(int error) { return error == EPERM || error == ENOSYS; }

}  // namespace

absl::StatusOr<PuSet> AffinityMask(pid_t thread) {
  PuSet set;
  // The kernel wants room for every PU that it could ever have.
  for (std::size_t words = 16; words <= 4096; words *= 2) {
    set.words_.assign(words, 0);
    cpu_set_t* mask = reinterpret_cast<cpu_set_t*>(set.words_.data());
    if (sched_getaffinity(thread, words * sizeof(unsigned long), mask) == 0) return set;
    if (errno != EINVAL) break;
  }
  if (IsForbidden(errno)) {
    return absl::UnavailableError(
        absl::StrCat("this system does not say on which PUs a thread may run (sched_getaffinity: ",
                     std::strerror(errno), "): a container's filter must allow the call"));
  }
  return absl::InternalError(
      absl::StrCat("sched_getaffinity of thread ", thread, ": ", std::strerror(errno)));
}

absl::StatusOr<PuSet> ProcessMask() {
  // Process id = thread id of the main thread.
  absl::StatusOr<PuSet> mask = AffinityMask(getpid());
  if (!mask.ok() || omp_get_num_places == nullptr) return mask;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(omp_get_place_num_procs(place));
    omp_get_place_proc_ids(place, ids.data());
    for (int id : ids) mask->Insert(PuId{id});
  }
  return mask;
}

absl::Status SetAffinityMask(pid_t thread, const PuSet& wanted) {
  const cpu_set_t* mask = reinterpret_cast<const cpu_set_t*>(wanted.words_.data());
  if (sched_setaffinity(thread, wanted.words_.size() * sizeof(unsigned long), mask) != 0) {
    if (IsForbidden(errno)) {
      return absl::UnavailableError(absl::StrCat(
          "this system forbids binding threads (sched_setaffinity: ", std::strerror(errno),
          "): a container's filter must allow the call, or no thread may be bound (kNone)"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("cannot bind a thread to PU ", wanted.ToString(), ": ", std::strerror(errno)));
  }
  absl::StatusOr<PuSet> actual = AffinityMask(thread);
  if (!actual.ok()) return actual.status();
  if (*actual == wanted) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("asked to bind a thread to PUs ",
                                                  wanted.ToString(), ", the kernel allowed only ",
                                                  actual->ToString()));
}

}  // namespace topo
