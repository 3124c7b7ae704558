// The text of a thread's affinity: OpenMP 5.1, section 6.14 (OMP_AFFINITY_FORMAT).
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/omp_library.h"
#include "topo/mutex.h"

namespace {

topo::Mutex format_mutex;
std::string& Format() ABSL_EXCLUSIVE_LOCKS_REQUIRED(format_mutex) {
  static auto& format = *new std::string([] {
    const char* const given = std::getenv("OMP_AFFINITY_FORMAT");
    return std::string(given == nullptr ? "level %L thread %i affinity %A" : given);
  }());
  return format;
}

// "0,2-3": the processors that the calling OS thread may run on.
std::string Processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "";
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", first,
                    last > first ? absl::StrCat("-", last) : "");
    first = last;
  }
  return text;
}

std::string HostName() {
  char name[256] = "";
  (void)gethostname(name, sizeof name - 1);
  return name;
}

std::string FieldOf(char field) {
  switch (field) {
    case 't':
      return std::to_string(omp_get_team_num());
    case 'T':
      return std::to_string(omp_get_num_teams());
    case 'L':
      return std::to_string(omp_get_level());
    case 'n':
      return std::to_string(omp_get_thread_num());
    case 'N':
      return std::to_string(omp_get_num_threads());
    case 'a':
      return std::to_string(omp_get_ancestor_thread_num(omp_get_level() - 1));
    case 'H':
      return HostName();
    case 'P':
      return std::to_string(getpid());
    case 'i':
      return std::to_string(syscall(SYS_gettid));
    case 'A':
      return Processors();
    case '%':
      return "%";
    default:
      return "undefined";
  }
}

char ShortName(const std::string& name) {
  static const auto& names = *new std::map<std::string, char>{
      {"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
      {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
      {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
      {"thread_affinity", 'A'}};
  const auto found = names.find(name);
  return found == names.end() ? '?' : found->second;
}

// %[[0].size]type, where type is a letter or a {name}.
std::string Expanded(const std::string& format) {
  std::string text;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      text += format[at];
      continue;
    }
    ++at;
    bool is_zero = false, is_right = false;
    std::size_t width = 0;
    if (at < format.size() && format[at] == '0') is_zero = format[at++] == '0';
    if (at < format.size() && format[at] == '.') is_right = format[at++] == '.';
    while (at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])) != 0) {
      width = width * 10 + static_cast<std::size_t>(format[at++] - '0');
    }
    if (at >= format.size()) break;
    char field = format[at];
    if (field == '{') {
      const std::size_t end = std::min(format.find('}', at), format.size());
      field = ShortName(format.substr(at + 1, end - at - 1));
      at = end;
    }
    std::string value = FieldOf(field);
    const std::size_t missing = std::min<std::size_t>(width - std::min(width, value.size()), 4096);
    const std::string fill(missing, is_zero ? '0' : ' ');
    text += is_right ? fill + value : value + fill;
  }
  return text;
}

std::string TextOf(const char* format) {
  std::string its = format == nullptr ? "" : format;
  if (its.empty()) {
    const topo::Lock lock(format_mutex);
    its = Format();
  }
  return Expanded(its);
}

size_t CopyOut(const std::string& text, char* buffer, size_t size) {
  if (size > 0 && buffer != nullptr) {
    const std::size_t count = std::min(size - 1, text.size());
    std::memcpy(buffer, text.data(), count);
    buffer[count] = '\0';
  }
  return text.size();
}

}  // namespace

void omp_set_affinity_format(const char* format) {
  const topo::Lock lock(format_mutex);
  Format() = format;
}
size_t omp_get_affinity_format(char* buffer, size_t size) {
  const topo::Lock lock(format_mutex);
  return CopyOut(Format(), buffer, size);
}
void omp_display_affinity(const char* format) {
  std::fprintf(stderr, "%s\n", TextOf(format).c_str());
}
size_t omp_capture_affinity(char* buffer, size_t size, const char* format) {
  return CopyOut(TextOf(format), buffer, size);
}
