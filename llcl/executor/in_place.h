// Operations done by the caller's processor, on memory that is mapped here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "llcl/executor/command.h"

namespace llcl {

// Whether another rank's word is at that place, aligned, so that it can be read and written whole.
template <typename Word>
bool IsWord(const std::byte* there, std::uint64_t bytes) {
  return bytes == sizeof(Word) && reinterpret_cast<std::uintptr_t>(there) % sizeof(Word) == 0;
}

// Precondition: IsWord.
template <typename Word>
void ReadWord(std::byte* here, std::byte* there) {
  const Word word =
      std::atomic_ref<Word>(*reinterpret_cast<Word*>(there)).load(std::memory_order_acquire);
  std::memcpy(here, &word, sizeof word);
}
template <typename Word>
void WriteWord(const std::byte* here, std::byte* there) {
  Word word;
  std::memcpy(&word, here, sizeof word);
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(there)).store(word, std::memory_order_release);
}

// Words of any size, and bytes that are none. `there`: another rank's memory. Words of 1, 2, 4 and
// 8 bytes that are aligned there are read and written whole.
void ReadBytes(std::byte* here, std::byte* there, std::uint64_t bytes);
void WriteBytes(const std::byte* here, std::byte* there, std::uint64_t bytes);

// As those, of eight bytes.
inline void ReadEight(std::byte* here, std::byte* there) {
  constexpr std::uint64_t kBytes = sizeof(std::uint64_t);
  if (IsWord<std::uint64_t>(there, kBytes)) return ReadWord<std::uint64_t>(here, there);
  std::memcpy(here, there, kBytes);
}
inline void WriteEight(const std::byte* here, std::byte* there) {
  constexpr std::uint64_t kBytes = sizeof(std::uint64_t);
  if (IsWord<std::uint64_t>(there, kBytes)) return WriteWord<std::uint64_t>(here, there);
  std::memcpy(there, here, kBytes);
}

// `there`: the command's remote address as mapped here, all of its bytes.
void ExecuteInPlace(const Command& command, std::byte* there);

}  // namespace llcl
