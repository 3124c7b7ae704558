#include "apps/simpath/array/residues.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace simpath {
namespace {

using Wide = unsigned __int128;

std::uint64_t Multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::uint64_t Power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t power = 1;
  for (; exponent > 0; exponent /= 2, base = Multiply(base, base, modulus)) {
    if (exponent % 2 == 1) power = Multiply(power, base, modulus);
  }
  return power;
}

// Miller and Rabin's test, which is exact below 2^64 with these bases. Precondition: odd, above 37.
bool IsPrime(std::uint64_t number) {
  const int twos = std::countr_zero(number - 1);
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    std::uint64_t power = Power(base, (number - 1) >> twos, number);
    bool passes = power == 1 || power == number - 1;
    for (int i = 1; i < twos && !passes; ++i) {
      power = Multiply(power, power, number);
      passes = power == number - 1;
    }
    if (!passes) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint64_t> LargestPrimes(int count) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t candidate = (std::uint64_t{1} << 63) - 1;
       primes.size() < static_cast<std::size_t>(count); candidate -= 2) {
    if (IsPrime(candidate)) primes.push_back(candidate);
  }
  return primes;
}

std::uint64_t Remainder(const Count& count, std::uint64_t modulus) {
  Wide remainder = 0;
  const std::span<const std::uint64_t> words = count.words();
  for (std::size_t i = words.size(); i-- > 0;) remainder = (remainder << 64 | words[i]) % modulus;
  return static_cast<std::uint64_t>(remainder);
}

Count FromResidues(std::uint64_t word, std::span<const std::uint64_t> primes,
                   std::span<const std::uint64_t> remainders) {
  Count number = word;
  const std::uint64_t two_words[] = {0, 1};
  Count product(two_words);  // of the moduli so far
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t prime = primes[i], has = Remainder(number, prime);
    const std::uint64_t lacks =
        remainders[i] >= has ? remainders[i] - has : remainders[i] + (prime - has);
    const std::uint64_t inverse = Power(Remainder(product, prime), prime - 2, prime);
    number += product * Multiply(lacks, inverse, prime);
    product = product * prime;
  }
  return number;
}

}  // namespace simpath
