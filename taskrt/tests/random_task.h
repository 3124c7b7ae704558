// What a task of a random program computes: a function of its recipe and its tiles, the same for
// the runtime, where it is a kernel's body, and for the serial oracle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "lwt/timer.h"
#include "taskrt/access.h"
#include "taskrt/kernel.h"
#include "taskrt/tests/random_blocks.h"
#include "taskrt/tile.h"

namespace taskrt {

// A value: a task's scalars.
struct Recipe {
  static constexpr std::size_t kMostAccesses = 10;

  Word salt = 0;
  std::uint8_t accesses = 0;
  std::array<Mode, kMostAccesses> modes{};
  bool pauses = false;  // on the host, so that others run in the middle of its writing
  bool fails = false;   // after having written
  const std::function<void()>* then = nullptr;  // on the host: submits further tasks
};

// Every word that is written depends on the words that are only read. What commutes adds; so the
// order of those that may come in any order changes nothing.
template <typename Pause>
void Perform(const Recipe& recipe, std::span<const Tile> tiles, Pause pause) {
  for (std::size_t written = 0; written < tiles.size(); ++written) {
    const Mode mode = recipe.modes[written];
    if (!Writes(mode)) continue;
    const Words to(tiles[written]);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (i == to.size() / 2) pause();
      Word value = recipe.salt + static_cast<Word>(written * 40503u + i * 2654435761u);
      for (std::size_t read = 0; read < tiles.size(); ++read) {
        if (recipe.modes[read] != Mode::kIn) continue;
        const Words from(tiles[read]);
        value = value * 31u + from[i % from.size()];
      }
      if (mode == Mode::kOut) {
        to[i] = value;
      } else if (mode == Mode::kInOut) {
        to[i] = to[i] * 33u + value;
      } else {
        to[i] += value;
      }
    }
  }
  pause();
}

inline Recipe RecipeOf(std::span<const std::byte> scalars) {
  Recipe recipe;
  std::memcpy(&recipe, scalars.data(), sizeof(recipe));
  return recipe;
}
inline std::span<const std::byte> ScalarsOf(const Recipe& recipe) {
  return std::as_bytes(std::span(&recipe, 1));
}

inline absl::Status BodyOnHost(std::span<const Tile> tiles, std::span<const std::byte> scalars) {
  const Recipe recipe = RecipeOf(scalars);
  Perform(recipe, tiles, [&] {
    if (recipe.pauses) lwt::SleepFor(std::chrono::microseconds(20));
  });
  if (recipe.then != nullptr) (*recipe.then)();
  return recipe.fails ? absl::AbortedError("as it was asked to") : absl::OkStatus();
}
inline absl::Status BodyOnDevice(std::span<const Tile> tiles, std::span<const std::byte> scalars) {
  const Recipe recipe = RecipeOf(scalars);
  Perform(recipe, tiles, [] {});
  return recipe.fails ? absl::AbortedError("as it was asked to") : absl::OkStatus();
}

// Of a reduction.
inline absl::Status SetToZero(std::span<const Tile> tiles, std::span<const std::byte>) {
  const Words to(tiles[0]);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = 0;
  return absl::OkStatus();
}
inline absl::Status AddPartial(std::span<const Tile> tiles, std::span<const std::byte>) {
  const Words to(tiles[0]), partial(tiles[1]);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += partial[i];
  return absl::OkStatus();
}

}  // namespace taskrt
