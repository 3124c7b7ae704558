#include "lwt/contract.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <typeinfo>

#include "absl/strings/str_cat.h"

namespace lwt {
namespace {

std::string NameOf(const std::type_info* type) {
  if (type == nullptr) return "something";
  int status = 0;
  char* const name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string demangled = name == nullptr ? type->name() : name;
  std::free(name);
  return demangled;
}

// The exception's type, and its what() if it is a std::exception.
std::string Describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return absl::StrCat(NameOf(&typeid(exception)), " (", exception.what(), ")");
  } catch (...) {
    return NameOf(abi::__cxa_current_exception_type());
  }
}

}  // namespace

void DieOfBrokenContract(std::string_view contract, std::string_view file, int line) {
  std::fprintf(stderr, "lwt: %.*s:%d: broken contract: %.*s\n", static_cast<int>(file.size()),
               file.data(), line, static_cast<int>(contract.size()), contract.data());
  std::abort();
}

void DieOfException(const std::exception_ptr& error, std::string_view thrower,
                    std::string_view rule) {
  std::fprintf(stderr, "lwt: %.*s threw %s. %.*s\n", static_cast<int>(thrower.size()),
               thrower.data(), Describe(error).c_str(), static_cast<int>(rule.size()), rule.data());
  std::abort();
}

void DieOfDetachedException(const std::exception_ptr& error, std::string_view name,
                            std::uint32_t depth) {
  DieOfException(
      error,
      absl::StrCat("thread \"", std::string(name), "\" (depth ", depth, "), which was detached,"),
      "A detached thread must catch its exceptions: no thread joins it.");
}

void DieOfLostThread(std::string_view name, std::uint32_t depth) {
  std::fprintf(
      stderr,
      "lwt: a scheduling policy lost thread \"%.*s\" (depth %u), which has begun to run: a "
      "ReadyThread that was popped or taken must be pushed, put or returned.\n",
      static_cast<int>(name.size()), name.data(), depth);
  std::abort();
}

}  // namespace lwt
