// Whole numbers from their remainders. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/problem/count.h"

namespace simpath {

// The `count` largest primes below 2^63, descending.
std::vector<std::uint64_t> LargestPrimes(int count);

// Precondition: modulus > 0.
std::uint64_t Remainder(const Count& count, std::uint64_t modulus);

// The least number that has the last 64 bits `word`, and each remainder modulo the prime of the
// same place (Garner). Precondition: different odd primes, and a remainder for each.
Count FromResidues(std::uint64_t word, std::span<const std::uint64_t> primes,
                   std::span<const std::uint64_t> remainders);

}  // namespace simpath
