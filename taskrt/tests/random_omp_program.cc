#include "taskrt/tests/random_omp_program.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace taskrt {
namespace {

// What a task may use: numbers of cells, and of rows behind them.
struct Uses {
  std::vector<int> reads, writes;  // what it writes it may read
};

constexpr int kMostDepth = 3;

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string Function(int number) {
    text_ = absl::StrCat("void program", number, "(long *v, long (*w)[", kColumns,
                         "]) {\n#pragma omp parallel\n#pragma omp single",
                         Chance(2) ? " nowait" : "", "\n  {\n");
    Uses all;
    for (int i = 0; i < kCells + kRows; ++i) all.writes.push_back(i);
    Statements(all, 0, 12 + Below(12));
    text_ += "  }\n}\n";
    return text_;
  }

 private:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  bool Chance(int one_in) { return Below(one_in) == 0; }
  void Line(const std::string& text) { absl::StrAppend(&text_, text, "\n"); }

  static std::string Item(int use) {
    return use < kCells ? absl::StrCat("v[", use, "]") : absl::StrCat("w[", use - kCells, "][0]");
  }
  std::vector<int> Some(std::vector<int> from, int most) {
    std::shuffle(from.begin(), from.end(), random_);
    from.resize(std::min(from.size(), static_cast<std::size_t>(1 + Below(most))));
    return from;
  }
  // A part of what there is.
  Uses Part(const Uses& all) {
    Uses part;
    for (const int use : Some(all.writes, 3)) {
      (part.writes.empty() || !Chance(3) ? part.writes : part.reads).push_back(use);
    }
    if (!all.reads.empty()) {
      const int use =
          all.reads[static_cast<std::size_t>(Below(static_cast<int>(all.reads.size())))];
      part.reads.push_back(use);
    }
    return part;
  }
  std::string Depend(const Uses& uses) {
    std::vector<std::string> in, inout;
    for (const int use : uses.reads) in.push_back(Item(use));
    for (const int use : uses.writes) inout.push_back(Item(use));
    return absl::StrCat(
        in.empty() ? "" : absl::StrCat(" depend(in: ", absl::StrJoin(in, ", "), ")"),
        " depend(inout: ", absl::StrJoin(inout, ", "), ")");
  }
  std::string Clauses() {
    std::string text;
    if (Chance(4)) absl::StrAppend(&text, " priority(", Below(5), ")");
    if (Chance(5)) absl::StrAppend(&text, " if(k > ", Below(200), ")");
    if (Chance(8)) absl::StrAppend(&text, " final(k % 2 == 0)");
    if (Chance(6)) text += " untied";
    return text;
  }
  // Serial work on it; `extra` is an expression that is added.
  void Compute(const Uses& uses, const std::string& extra) {
    std::vector<std::string> terms = {extra};
    for (const int use : uses.reads) terms.push_back(Item(use));
    const std::string sum = absl::StrJoin(terms, " + ");
    for (const int use : uses.writes) {
      if (use < kCells) {
        Line(absl::StrCat(Item(use), " = (", Item(use), " * ", 2 + Below(5), " + ", sum,
                          ") % 1000003;"));
      } else {
        Line(absl::StrCat("for (int i = 0; i < ", kColumns, "; i++) w[", use - kCells, "][i] = (w[",
                          use - kCells, "][i] * 3 + i + ", sum, ") % 1000003;"));
      }
    }
  }

  void Task(const Uses& all, int depth) {
    const Uses part = Part(all);
    const bool has_tasks = depth < kMostDepth && Chance(3);
    Line("{");
    Line(absl::StrCat("long k = ", Below(300), ";"));
    Line(absl::StrCat("#pragma omp task firstprivate(k)", Depend(part), Clauses()));
    Line("{");
    Compute(part, "k");
    if (has_tasks) {
      Statements(part, depth + 1, 2 + Below(4));
      Compute(part, "1");
    }
    Line("}");
    Line(absl::StrCat("k = ", Below(300), ";"));
    Line("(void)k;\n}");
  }

  // A variable of this function that tasks share.
  void Shared(const Uses& all) {
    const Uses part = Part(all);
    const int tasks = 1 + Below(4);
    Line("{\nlong x = 1, y[3] = {1, 2, 3};");
    for (int i = 0; i < tasks; ++i) {
      Line(absl::StrCat("#pragma omp task shared(x) firstprivate(y) depend(inout: x)",
                        Depend(part)));
      Line("{");
      Line(absl::StrCat("x = (x * 7 + y[", Below(3), "] + ", Item(part.writes[0]), ") % 1000003;"));
      Compute(part, "x");
      Line("}");
      Line(absl::StrCat("y[", i % 3, "] += ", Below(9), ";"));
    }
    Line("#pragma omp taskwait");
    Compute(part, "x");
    Line("}");
  }

  void Loop(const Uses& all) {
    const Uses part = Part(all);
    const auto row =
        std::find_if(part.writes.begin(), part.writes.end(), [](int use) { return use >= kCells; });
    if (row == part.writes.end()) return Task(all, kMostDepth);
    const std::string array = absl::StrCat("w[", *row - kCells, "]");
    Line("#pragma omp taskwait");
    Line(absl::StrCat("{\nlong k = ", Below(9), ";"));
    static constexpr const char* kSizes[] = {"grainsize(5)", "num_tasks(3)", "grainsize(1)", ""};
    const bool waits = Chance(2);
    Line(absl::StrCat("#pragma omp taskloop ", kSizes[Below(4)], waits ? "" : " nogroup",
                      Clauses()));
    static constexpr const char* kHeads[] = {
        "for (int i = 0; i < 24; i++)", "for (int i = 23; i >= 1; i -= 2)",
        "for (int i = 3; 20 >= i; i = i + 4)", "for (unsigned long i = 2; i != 23; ++i)"};
    Line(absl::StrCat(kHeads[Below(4)], " ", array, "[i] = (", array,
                      "[i] * 5 + k + i) % 1000003;"));
    if (!waits) Line("#pragma omp taskwait");
    Line("}");
  }

  void Target(const Uses& all) {
    std::vector<int> rows;
    for (const int use : all.writes) {
      if (use >= kCells) rows.push_back(use);
    }
    if (rows.empty()) return Task(all, kMostDepth);
    const int use = rows[static_cast<std::size_t>(Below(static_cast<int>(rows.size())))];
    const int kind = Below(4);
    if (kind > 1) Line("#pragma omp taskwait");
    Line(absl::StrCat("{\nlong *const row = w[", use - kCells, "];\nlong k = ", Below(99), ";"));
    const std::string loop = absl::StrCat("for (int i = 0; i < ", kColumns,
                                          "; i++) row[i] = (row[i] * 2 + k + i) % 1000003;");
    const std::string map = absl::StrCat("map(tofrom: row[0:", kColumns, "])");
    if (kind == 3) {
      Line(absl::StrCat("#pragma omp target data ", map));
      Line("{");
      for (int i = Below(3); i >= 0; --i) Line(absl::StrCat("#pragma omp target\n", loop));
      Line(
          "#pragma omp target update from(row[0:24])\nrow[3] = row[4] % 100;\n"
          "#pragma omp target update to(row[3:1])");
      Line(absl::StrCat("#pragma omp target ", map, "\n", loop, "\n}"));
    } else if (kind == 2) {
      Line(absl::StrCat("#pragma omp target ", map, " if(k > ", Below(60), ")\n", loop));
      Line("row[1] += 1;");
    } else {
      Line(absl::StrCat("#pragma omp target ", map, " nowait depend(inout: row[0])"));
      Line(loop);
    }
    Line("}");
  }

  void Statements(const Uses& all, int depth, int count) {
    for (int i = 0; i < count; ++i) {
      switch (Below(9)) {
        case 0:
          Line("#pragma omp taskwait");
          Compute(Part(all), "2");
          break;
        case 1:
          if (depth < kMostDepth) {
            Line("#pragma omp taskgroup\n{");
            Statements(all, depth + 1, 1 + Below(3));
            Line("}");
          }
          break;
        case 2:
          Shared(all);
          break;
        case 3:
          Loop(all);
          break;
        case 4:
        case 5:
          Target(all);
          break;
        default:
          Task(all, depth);
      }
    }
    Line("#pragma omp taskwait");
  }

  std::mt19937_64 random_;
  std::string text_;
};

}  // namespace

std::string RandomOmpProgram(std::uint64_t seed, int programs) {
  Writer writer(seed);
  std::string text;
  for (int i = 0; i < programs; ++i) text += writer.Function(i);
  return text;
}

}  // namespace taskrt
