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
    text_ += "  }\n";
    for (int i = Below(6); i >= 0; --i) Shared();
    text_ += "}\n";
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
  // By an iterator over some cells, by objects, or by lists. Lines for them come before the task.
  std::string Depend(const Uses& uses) {
    const int kind = Below(4);
    if (kind == 0)
      return DependByIterator("in", uses.reads) + DependByIterator("inout", uses.writes);
    if (kind == 1) return DependByObjects("in", uses.reads) + DependByObjects("inout", uses.writes);
    std::vector<std::string> in, inout;
    for (const int use : uses.reads) in.push_back(Item(use));
    for (const int use : uses.writes) inout.push_back(Item(use));
    return absl::StrCat(
        in.empty() ? "" : absl::StrCat(" depend(in: ", absl::StrJoin(in, ", "), ")"),
        " depend(inout: ", absl::StrJoin(inout, ", "), ")");
  }
  std::string DependByIterator(const std::string& type, const std::vector<int>& uses) {
    std::vector<int> cells;
    std::string others;
    for (const int use : uses) {
      if (use < kCells) {
        cells.push_back(use);
      } else {
        absl::StrAppend(&others, " depend(", type, ": ", Item(use), ")");
      }
    }
    if (cells.empty()) return others;
    const std::string at = absl::StrCat("at", ++names_);
    Line(absl::StrCat("const int ", at, "[] = {", absl::StrJoin(cells, ", "), "};"));
    const std::string range = Chance(2) ? absl::StrCat("0 : ", cells.size())
                                        : absl::StrCat(cells.size() - 1, " : -1 : -1");
    return absl::StrCat(others, " depend(iterator(n = ", range, "), ", type, ": v[", at, "[n]])");
  }
  std::string DependByObjects(const std::string& type, const std::vector<int>& uses) {
    std::vector<std::string> objects;
    for (const int use : uses) {
      objects.push_back(absl::StrCat("object", ++names_));
      const std::string& name = objects.back();
      const bool updates = Chance(2);
      Line(absl::StrCat("struct object ", name, ";\n#pragma omp depobj(", name, ") depend(",
                        updates ? "out" : type, ": ", Item(use), ")"));
      if (updates) Line(absl::StrCat("#pragma omp depobj(", name, ") update(", type, ")"));
    }
    return objects.empty() ? ""
                           : absl::StrCat(" depend(depobj: ", absl::StrJoin(objects, ", "), ")");
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

  // The same tasks several times; where they are recorded, the block is run once.
  void Graph(const Uses& all, int depth) {
    const Uses part = Part(all);
    Line(absl::StrCat("for (int time = 0; time < ", 2 + Below(4), "; time++) {"));
    Line(absl::StrCat("#pragma omp taskgraph", Chance(3) ? " nogroup" : "",
                      Chance(3) ? " graph_id(time % 2)" : "",
                      Chance(4) ? " graph_reset(time == 2)" : "", "\n{"));
    for (int i = Below(4); i >= 0; --i) Task(part, depth);
    Line("}\n}");
  }

  std::string Row() { return absl::StrCat("w[", Below(kRows), "]"); }
  std::string Cell() { return absl::StrCat("v[", Below(kCells), "]"); }
  std::string Schedule() {
    static constexpr const char* kSchedules[] = {"",
                                                 " schedule(static, 3)",
                                                 " schedule(dynamic)",
                                                 " schedule(dynamic, 5)",
                                                 " schedule(guided, 2)",
                                                 " schedule(auto)",
                                                 " schedule(runtime)"};
    return kSchedules[Below(7)];
  }
  std::string Threads() {
    return Chance(3) ? absl::StrCat(" num_threads(", 1 + Below(4), ")") : "";
  }

  // A region whose members share work: each iteration once, each sum exact, whoever does it.
  void Shared() {
    const std::string row = Row(), other = Row(), cell = Cell();
    switch (Below(7)) {
      case 0:
        Line(absl::StrCat("#pragma omp parallel for", Schedule(), Threads()));
        Line(absl::StrCat("for (int i = ", Below(3), "; i < ", kColumns, "; i += ", 1 + Below(3),
                          ") ", row, "[i] = (", row, "[i] * 3 + i) % 1000003;"));
        break;
      case 1:
        Line("{ long sum = 1, most = -1;");
        Line(absl::StrCat("#pragma omp parallel for reduction(+ : sum) reduction(max : most)",
                          Schedule()));
        Line(absl::StrCat("for (int i = ", kColumns - 1, "; i >= 0; i--) { sum += ", row,
                          "[i]; if (", row, "[i] > most) most = ", row, "[i]; }"));
        Line(absl::StrCat(cell, " = (sum + most) % 1000003; }"));
        break;
      case 2:
        Line("{ long sums[5] = {0}, last = 0;");
        Line(absl::StrCat("#pragma omp parallel", Threads(), "\n{"));
        Line(absl::StrCat("#pragma omp for reduction(+ : sums) lastprivate(last)", Schedule(),
                          Chance(2) ? " nowait" : ""));
        Line(absl::StrCat("for (int i = 0; i < ", kColumns, "; i++) { sums[i % 5] += ", row,
                          "[i]; last = ", row, "[i] + i; }"));
        Line("#pragma omp barrier\n#pragma omp single");
        Line(absl::StrCat(cell, " = (sums[", Below(5), "] * 3 + last) % 1000003;\n} }"));
        break;
      case 3:
        Line(absl::StrCat("#pragma omp parallel for collapse(2)", Schedule()));
        Line(absl::StrCat("for (int r = 0; r < ", kRows, "; r++) for (int i = 0; i < ", kColumns,
                          "; i++) w[r][i] = (w[r][i] * 2 + r * i) % 1000003;"));
        break;
      case 4:
        Line(absl::StrCat("#pragma omp parallel sections", Threads(), "\n{\n", row, "[1] += 1;"));
        Line(absl::StrCat("#pragma omp section\n", row, "[2] += 2;\n#pragma omp section\n{ ", row,
                          "[3] += 3; ", cell, " += 1; }\n}"));
        break;
      case 5:
        Line(absl::StrCat("#pragma omp parallel", Threads(), "\n{ own = 0;"));
        Line(absl::StrCat("#pragma omp for", Schedule()));
        Line(absl::StrCat("for (int i = 0; i < ", kColumns, "; i++) own += ", row, "[i];"));
        Line(absl::StrCat("#pragma omp critical\n", cell, " += own;\n}\n", cell, " %= 1000003;"));
        break;
      default:
        Line("{ long next = 0;");
        Line(absl::StrCat("#pragma omp parallel for ordered", Schedule()));
        Line(absl::StrCat("for (int i = 0; i < ", kColumns, "; i++) {\nif (i % 4 == 1) continue;"));
        Line(absl::StrCat("long x = ", row,
                          "[i];\n#pragma omp ordered\nnext = (next * 5 + x + i) % 1000003;\n}"));
        Line(absl::StrCat(other, "[0] = next; }"));
    }
  }

  // A variable of this function that tasks share.
  void SharedByTasks(const Uses& all) {
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
      switch (Below(10)) {
        case 9:
          if (depth < kMostDepth) Graph(all, depth + 1);
          break;
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
          SharedByTasks(all);
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
  int names_ = 0;  // of iterators' arrays and of objects
  std::string text_;
};

}  // namespace

std::string RandomOmpProgram(std::uint64_t seed, int programs) {
  Writer writer(seed);
  std::string text =
      "struct object {\n  void *of_ompc[2];\n};\nstatic long own;\n#pragma omp "
      "threadprivate(own)\n";
  for (int i = 0; i < programs; ++i) text += writer.Function(i);
  return text;
}

}  // namespace taskrt
