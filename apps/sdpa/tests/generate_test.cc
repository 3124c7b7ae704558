#include "apps/sdpa/generate/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/interior_point/interior_point.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {
namespace {

Generated Made(const std::string& text) {
  auto generated = Generate(text);
  EXPECT_TRUE(generated.ok()) << generated.status();
  return generated.ok() ? *std::move(generated) : Generated();
}

std::string ErrorOf(const std::string& text) {
  const auto generated = Generate(text);
  EXPECT_FALSE(generated.ok()) << text;
  EXPECT_TRUE(absl::IsInvalidArgument(generated.status()));
  return std::string(generated.status().message());
}

// "m; sizes of blocks", a diagonal's below 0.
std::string SizesOf(const std::string& text) {
  const Problem problem = Made(text).problem;
  std::string sizes = std::to_string(problem.constraints()) + ";";
  EXPECT_EQ(problem.matrices.size(), problem.constraints() + 1);
  for (const Block& block : problem.blocks) {
    sizes += " " + std::to_string(block.shape == Shape::kDense ? block.size : -block.size);
  }
  return sizes;
}

TEST(Generate, TwinsHaveTheSizesOfSdplib) {
  EXPECT_EQ(SizesOf("theta-200"), "1949; 200");
  EXPECT_EQ(SizesOf("theta-300"), "4375; 300");
  EXPECT_EQ(SizesOf("control-40"), "861; 80 40");
  EXPECT_EQ(SizesOf("max-cut-800"), "800; 800");
  EXPECT_EQ(SizesOf("bordered-theta-800"), "2401; 801");
  EXPECT_EQ(SizesOf("qap:n=7"), "358; 50");
  EXPECT_EQ(SizesOf("qap:n=10"), "1021; 101");
  EXPECT_EQ(ShortNames().size(), 5u);
  EXPECT_EQ(Made("bordered-theta-800").value, 400);
}

TEST(Generate, FamiliesHaveTheSizesOfTheirKeys) {
  EXPECT_EQ(SizesOf("control:n=1"), "3; 2 -1");
  EXPECT_EQ(SizesOf("truss:rows=2,columns=2,reach=1,loads=3"), "6; 5 5 5 -6");
  EXPECT_EQ(SizesOf("material:blocks=6"), "19; 11 11 11 11 11 11");
  EXPECT_EQ(SizesOf("random:m=7,blocks=4+d3+2x2+1"), "7; 4 -3 2 2 -1");
  EXPECT_EQ(SizesOf("infeasible:weak"), "1; 2");
  EXPECT_GE(Made("blocks").problem.blocks.size(), 2000u);
  const Problem material = Made("material").problem;
  EXPECT_EQ(material.blocks.size(), 4900u);
  EXPECT_EQ(material.constraints(), 9941u);
  for (std::size_t i = 2; i < material.matrices.size(); ++i) {
    ASSERT_LE(material.matrices[i].size(), 4u) << "but for alpha, constraints are in few blocks";
  }
}

// A small one of each family: what the numbers of a seed are, for ever.
const std::vector<std::pair<std::string, std::uint64_t>> kSmall = {
    {"theta:n=12,m=20", 0xaab3e63d3ec2619f},
    {"bordered-theta:n=9,m=20,seed=2", 0xecbd5e32a27b20f7},
    {"max-cut:torus,n=12,columns=4", 0x9e3ac98e877b3d1d},
    {"max-cut:random,n=12,edges=20,weights=signs", 0x4fd187133e7b6bbe},
    {"bisection:n=12,edges=20", 0x26232436ed8fc331},
    {"bisection:petersen", 0xd56a3ded2fe95d99},
    {"control:n=4", 0xbd8173374a191565},
    {"truss:rows=2,columns=3,loads=2", 0xf94373c482e99567},
    {"material:blocks=4", 0xe52dfbe87ebf75c7},
    {"qap:n=3", 0x56eac941ad6196c1},
    {"random:m=9,blocks=5+d4+3x2+1", 0x5c92ee013f940eca},
    {"random:m=9,blocks=6+d4,kind=rank-one,elements=3,empty=2,seed=7", 0xbd8c8911af3bf96b},
    {"blocks:m=12,blocks=3x5+4x5,touched=3", 0x55c0c4749a10354e},
    {"infeasible:primal,n=4,m=3", 0xa92fdd101dd37d00},
    {"infeasible:dual,n=4,m=3", 0x72d00179c9839ec2},
    {"infeasible:weak", 0xd8ea9dcb3f566f67},
};

// FNV-1a.
std::uint64_t HashOf(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

TEST(Generate, BitsOfASeedAreTheSameForEver) {
  for (const auto& [text, hash] : kSmall) {
    const std::string file = ToText(Format::kSparse, Made(text).problem);
    EXPECT_EQ(HashOf(file), hash) << text << std::hex << " 0x" << HashOf(file);
  }
}

TEST(Generate, WhatIsMadeIsTheSameFromAFile) {
  for (const auto& [text, hash] : kSmall) {
    const Problem problem = Made(text).problem;
    for (const Format format : {Format::kSparse, Format::kDense}) {
      const auto parsed = Parse(format, "f", ToText(format, problem));
      ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status();
      EXPECT_EQ(*parsed, problem) << text;
    }
  }
}

TEST(Generate, SeedsMakeOthers) {
  for (const std::string family :
       {"theta:", "max-cut:", "bisection:", "control:n=5,", "truss:", "material:blocks=4,",
        "qap:n=3,", "random:", "infeasible:primal,", "infeasible:dual,"}) {
    EXPECT_EQ(Made(family + "seed=1").problem, Made(family + "seed=1").problem) << family;
    EXPECT_NE(Made(family + "seed=1").problem, Made(family + "seed=2").problem) << family;
  }
}

TEST(Generate, EachSolvableFamilyIsSolved) {
  for (const auto& [text, hash] : kSmall) {
    const Generated generated = Made(text);
    if (generated.answer != Answer::kSolvable) continue;
    // No Y of the relaxed assignments and of bisections is inside the cone, and digits are few.
    const bool is_hard = text.starts_with("qap") || text.starts_with("bisection");
    const double tolerance = is_hard ? 1e-4 : 1e-7;
    const auto solution = Solve(generated.problem, {.tolerance = tolerance});
    ASSERT_TRUE(solution.ok());
    EXPECT_EQ(solution->phase, Phase::kOptimal)
        << text << " gap " << solution->quality.gap << " errors " << solution->quality.primal_error
        << " " << solution->quality.dual_error;
    if (generated.value) {
      EXPECT_NEAR(solution->quality.primal, *generated.value,
                  10 * tolerance * (1 + std::abs(*generated.value)))
          << text;
    }
  }
}

TEST(Arguments, WrongFamiliesKeysAndValuesAreOneSentence) {
  EXPECT_EQ(ErrorOf("teta"),
            "'teta': no family 'teta', expected theta, bordered-theta, max-cut, bisection, "
            "control, truss, material, qap, random, blocks, infeasible, theta-200, theta-300, "
            "control-40, "
            "max-cut-800 or bordered-theta-800; sizes are given as in theta:n=50");
  EXPECT_EQ(ErrorOf("theta:triangle"),
            "'theta:triangle': 'triangle', expected random, cycle, petersen, kneser, hamming or "
            "torus");
  EXPECT_EQ(ErrorOf("theta:n=5,q=1"), "'theta:n=5,q=1': no key 'q', expected n, m or seed");
  EXPECT_EQ(ErrorOf("theta:petersen,n=5"), "'theta:petersen,n=5': no key 'n' is expected");
  EXPECT_EQ(ErrorOf("control:big"), "'control:big': no word 'big', expected n or seed");
  EXPECT_EQ(ErrorOf("control:n=4,"), "'control:n=4,': found '', expected key=value");
  EXPECT_EQ(ErrorOf("control:"), "'control:': found '', expected key=value");
  EXPECT_EQ(ErrorOf("control:=4"), "'control:=4': found '=4', expected key=value");
  EXPECT_EQ(ErrorOf("control:n=4,5"), "'control:n=4,5': found '5', expected key=value");
  EXPECT_EQ(ErrorOf("control:n=4,n=4"), "'control:n=4,n=4': n is given twice");
  for (const std::string value : {"0", "201", "x", "", "4.5", "4x", "4+5", "99999999999"}) {
    EXPECT_EQ(ErrorOf("control:n=" + value), "'control:n=" + value + "': n is '" + value +
                                                 "', expected a whole number from 1 to 200");
  }
  EXPECT_EQ(ErrorOf("control:n=0,q=1"),
            "'control:n=0,q=1': n is '0', expected a whole number from 1 to 200")
      << "the first fault is named";
  EXPECT_EQ(ErrorOf("control:seed=-1"),
            "'control:seed=-1': seed is '-1', expected a whole number from 0 to 2147483647");
  EXPECT_EQ(ErrorOf("theta:n=5,m=12"),
            "'theta:n=5,m=12': m is '12', expected a whole number from 1 to 11");
  EXPECT_EQ(ErrorOf("bordered-theta:n=5,m=5"),
            "'bordered-theta:n=5,m=5': m is '5', expected a whole number from 6 to 16");
  EXPECT_EQ(ErrorOf("max-cut:n=801"),
            "'max-cut:n=801': n is '801', expected a multiple of 8 (columns) from 24");
  EXPECT_EQ(ErrorOf("max-cut:n=16"),
            "'max-cut:n=16': n is '16', expected a multiple of 8 (columns) from 24");
  EXPECT_EQ(ErrorOf("max-cut:weights=2"),
            "'max-cut:weights=2': weights is '2', expected signs or ones");
  EXPECT_EQ(ErrorOf("theta:hamming,distance=1+9"),
            "'theta:hamming,distance=1+9': distance is '1+9', expected a whole number from 1 to 5");
  EXPECT_EQ(ErrorOf("random:blocks=3+d2,m=99"),
            "'random:blocks=3+d2,m=99': m is '99', expected a whole number from 1 to 6");
  EXPECT_EQ(ErrorOf("random:kind=dense"),
            "'random:kind=dense': kind is 'dense', expected sparse or rank-one");
  EXPECT_EQ(ErrorOf("infeasible:both"), "'infeasible:both': 'both', expected primal, dual or weak");
  for (const std::string value : {"", "0", "d", "3x", "x3", "3x0", "3x2x2", "3++2", "D3", "-3",
                                  "2001", "2000x3", "1x1000001", "d10000001", "x"}) {
    EXPECT_EQ(ErrorOf("random:blocks=" + value),
              "'random:blocks=" + value + "': blocks is '" + value +
                  "', expected sizes as 20+d10+5x300: a dense block of 20 rows, a diagonal of 10 "
                  "and 300 dense blocks of 5, of at most 2,000 rows a dense one, 10^7 elements "
                  "and 10^6 blocks");
  }
  const std::string large = "constraints of at most 10^7 elements together";
  EXPECT_EQ(ErrorOf("random:blocks=200x20,m=5000,elements=1000"),
            "'random:blocks=200x20,m=5000,elements=1000': m is '5000', expected " + large);
  EXPECT_EQ(ErrorOf("random:blocks=1000,m=30,elements=1000,kind=rank-one"),
            "'random:blocks=1000,m=30,elements=1000,kind=rank-one': m is '30', expected " + large);
  EXPECT_EQ(ErrorOf("theta:cycle,n=10001"),
            "'theta:cycle,n=10001': n is '10001', expected a whole number from 3 to 10000");
  EXPECT_EQ(ErrorOf("theta:hamming,length=12,distance=6+7"),
            "'theta:hamming,length=12,distance=6+7': distance is '6+7', expected distances of at "
            "most 1000000 edges");
  EXPECT_EQ(SizesOf("theta:n=500,m=20000"), "20000; 500");
}

}  // namespace
}  // namespace sdpa
