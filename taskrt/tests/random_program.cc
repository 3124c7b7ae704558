#include "taskrt/tests/random_program.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/tests/random_neighbor.h"

namespace taskrt {

RandomProgram::RandomProgram(std::uint64_t seed)
    : random_(seed),
      setup_(DrawSetup(random_)),
      on_host_(Kernel("on_host").OnHost(BodyOnHost).Flops(2e5)),
      on_device_(Kernel("on_device").OnSimulated(BodyOnDevice).Flops(1e6)),
      on_both_(Kernel("on_both").OnHost(BodyOnHost).OnSimulated(BodyOnDevice).Flops(5e5)),
      zero_(Kernel("zero").OnHost(SetToZero).OnSimulated(SetToZero)),
      combine_(Kernel("combine").OnHost(AddPartial).OnSimulated(AddPartial)),
      combine_on_host_(Kernel("combine").OnHost(AddPartial)) {
  has_devices_ = !setup_.options.devices.empty();
  all_devices_may_go_ = setup_.may_lose_a_device && setup_.options.devices.size() == 1;
}

RandomProgram::End RandomProgram::Run() {
  // It would take errors that this thread waits for.
  others_play_ = !setup_.is_virtual && !setup_.may_lose_a_device && OneIn(random_, 3);
  const bool is_inside = setup_.is_virtual || (!others_play_ && OneIn(random_, 2));
  if (!setup_.is_virtual && OneIn(random_, 3)) {
    shared_pool_ = *lwt::Pool::Create(setup_.options.pool);
    setup_.options.shared_pool = shared_pool_.get();
    absl::StrAppend(&setup_.description, "; shared pool");
  }
  runtime_ = *Runtime::Create(std::move(setup_.options));
  if (is_inside) {
    runtime_->Run([this](Runtime&) { Play(); });
  } else if (others_play_) {
    PlayBesideOtherThreads();
  } else {
    Play();
  }
  for (ItsGraph& its : graphs_) its.graph = nullptr;
  runtime_ = nullptr;
  if (end_ == End::kWrong) absl::StrAppend(&what_, "\n  ", setup_.description);
  return end_;
}

void RandomProgram::Play() {
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks_[i].memory.Reshape(random_);
    Register(i);
  }
  while (submitted_ < kTasks && !has_ended()) Act();
  if (!has_ended()) WaitForAll();
}

// One brings blocks home by its waiting, in the middle of everything; one has blocks of its own.
void RandomProgram::PlayBesideOtherThreads() {
  std::atomic<bool> is_over{false};
  absl::Status found, of_neighbor;
  RandomNeighbor neighbor(*runtime_, {on_both_, zero_, combine_}, random_());
  std::thread waits([&] {
    while (!is_over.load()) found.Update(runtime_->Wait());
  });
  std::thread submits([&] { of_neighbor = neighbor.Run(); });
  Play();
  submits.join();
  is_over.store(true);
  waits.join();
  (void)GoesOn(found, "Wait of another thread");
  (void)GoesOn(of_neighbor, "a thread with blocks of its own");
}

void RandomProgram::Register(std::size_t i) {
  Block& block = blocks_[i];
  block.name = absl::StrCat("block", i);
  block.handle = runtime_->Register(block.name, block.memory.tile(), static_cast<int>(i));
  block.reduces = OneIn(random_, 3);
  if (block.reduces) {
    runtime_->SetReduction(block.handle, zero_, OneIn(random_, 2) ? combine_ : combine_on_host_);
  }
}

void RandomProgram::Act() {
  const std::uint64_t action = Draw(random_, 100);
  const std::size_t own = Draw(random_, kOwn);
  if (action < 78) {
    SubmitSome();
  } else if (action < 84) {
    const int places = static_cast<int>(Draw(random_, 5));
    const Place place = std::min(places, static_cast<int>(has_devices_));
    runtime_->Prefetch(blocks_[own].handle, place);
  } else if (action < 89) {
    WaitOnOne();
  } else if (action < 91) {
    WaitForAll();
  } else if (action < 94) {
    SubmitFamily();
  } else if (action < 96) {
    RunGraph();
  } else if (action < 98) {
    Move(own);
  } else if (action < 99) {
    End_(own);
  } else if (!others_play_) {
    OneIn(random_, 2) ? FailOne() : CancelSome();
  }
}

// One to so many accesses to different ones of these blocks.
RandomProgram::GraphTask RandomProgram::DrawTask(std::span<const std::size_t> among,
                                                 std::size_t most) {
  GraphTask task;
  task.recipe.salt = static_cast<Word>(random_());
  task.recipe.pauses = OneIn(random_, 3);
  task.recipe.accesses = static_cast<std::uint8_t>(1 + Draw(random_, std::min(most, among.size())));
  std::vector<std::size_t> left(among.begin(), among.end());
  for (std::size_t i = 0; i < task.recipe.accesses; ++i) {
    const std::size_t at = Draw(random_, left.size());
    task.blocks.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    constexpr Mode kModes[] = {Mode::kIn,    Mode::kIn,          Mode::kOut,
                               Mode::kInOut, Mode::kCommutative, Mode::kReduction};
    task.recipe.modes[i] = kModes[Draw(random_, std::size(kModes))];
  }
  return task;
}

const Kernel& RandomProgram::DrawKernel() {
  switch (Draw(random_, 4)) {
    case 0:
      return on_host_;
    case 1:
      return has_devices_ && !all_devices_may_go_ ? on_device_ : on_both_;
    default:
      return on_both_;
  }
}

std::vector<Access> RandomProgram::AccessesOf(const GraphTask& task) const {
  std::vector<Access> accesses;
  for (std::size_t i = 0; i < task.blocks.size(); ++i) {
    accesses.push_back({blocks_[task.blocks[i]].handle, task.recipe.modes[i]});
  }
  return accesses;
}

void RandomProgram::PerformAlone(const GraphTask& task) {
  std::vector<Tile> twins;
  for (const std::size_t block : task.blocks) twins.push_back(blocks_[block].memory.twin());
  Perform(task.recipe, twins, [] {});
}

Completion RandomProgram::Submit(const GraphTask& task, const Kernel& kernel, int priority) {
  return runtime_->Submit(kernel, AccessesOf(task), ScalarsOf(task.recipe), {.priority = priority});
}

void RandomProgram::SubmitSome() {
  std::array<std::size_t, kOwn> own;
  std::iota(own.begin(), own.end(), 0);
  for (std::uint64_t some = 1 + Draw(random_, 4); some > 0; --some) {
    const bool has_many = OneIn(random_, 8);
    const GraphTask task = DrawTask(own, has_many ? Recipe::kMostAccesses : kMostOnDevices);
    Submit(task, has_many ? on_host_ : DrawKernel(), static_cast<int>(Draw(random_, 3)));
    PerformAlone(task);
    ++submitted_;
  }
}

// A task that submits others when it runs. They are ordered among themselves and after those of the
// parent before, whatever the program submits meanwhile.
void RandomProgram::SubmitFamily() {
  const std::size_t first = kOwn + Draw(random_, kFamilies) * kOfFamily;
  const std::array<std::size_t, 2> ours = {first + 1, first + 2};
  struct Child {
    GraphTask task;
    const Kernel* kernel;
  };
  std::vector<Child> children;
  for (std::uint64_t some = 1 + Draw(random_, 5); some > 0; --some) {
    children.push_back({DrawTask(ours), &DrawKernel()});
  }
  GraphTask parent;
  parent.recipe.salt = static_cast<Word>(random_());
  parent.recipe.accesses = 2;
  parent.recipe.modes = {Mode::kInOut, Mode::kIn};
  parent.blocks = {first, Draw(random_, kOwn)};
  // Nobody else uses the children's blocks: those of the parents before are waited for.
  const bool waits = OneIn(random_, 2);
  const std::size_t awaited = ours[Draw(random_, ours.size())];
  const std::vector<Word> expected = blocks_[awaited].memory.expected();
  families_.push_back([this, children, waits, awaited, expected] {
    if (waits) WaitInBody(awaited, expected);
    for (const Child& child : children) Submit(child.task, *child.kernel, 0);
  });
  parent.recipe.then = &families_.back();
  Submit(parent, on_host_, 0);
  PerformAlone(parent);
  for (const Child& child : children) PerformAlone(child.task);
  submitted_ += 1 + children.size();
}

// Where some task has failed there is no value.
void RandomProgram::WaitInBody(std::size_t block, const std::vector<Word>& expected) {
  const absl::Status status = runtime_->WaitOn(blocks_[block].handle);
  const bool is_right =
      !IsRefusedWait(status) && (!status.ok() || blocks_[block].memory.Has(expected));
  if (is_right) return;
  const std::lock_guard lock(bodies_mutex_);
  wrong_in_body_ = absl::StrCat("a task that waits for ", blocks_[block].name, ": ",
                                status.ok() ? "another value" : status.ToString());
}

void RandomProgram::RunGraph() {
  ItsGraph& its = graphs_[Draw(random_, kGraphs)];
  if (its.graph == nullptr) {
    its.graph = std::make_unique<Graph>(*runtime_);
    std::array<std::size_t, kOwn> own;
    std::iota(own.begin(), own.end(), 0);
    for (std::uint64_t some = Draw(random_, 12); some > 0; --some) {
      const GraphTask task = its.tasks.emplace_back(DrawTask(own));
      its.graph->Submit(DrawKernel(), AccessesOf(task), ScalarsOf(task.recipe));
      for (const std::size_t block : task.blocks) blocks_[block].is_in_graph = true;
    }
  }
  for (std::uint64_t runs = 1 + Draw(random_, 3); runs > 0 && !has_ended(); --runs) {
    if (!GoesOn(its.graph->Run(), "Graph::Run")) return;
    for (const GraphTask& task : its.tasks) PerformAlone(task);
    submitted_ += its.tasks.size();
  }
}

void RandomProgram::WaitOnOne() {
  const std::size_t block = Draw(random_, kOwn);
  const bool writes = OneIn(random_, 2);
  const Mode mode = writes ? Mode::kInOut : Mode::kIn;
  if (!GoesOn(runtime_->WaitOn(blocks_[block].handle, mode), "WaitOn")) return;
  Compare(block, "after WaitOn");
  if (writes) blocks_[block].memory.Fill(random_);
}

void RandomProgram::WaitForAll() {
  if (!GoesOn(runtime_->Wait(), "Wait")) return;
  for (std::size_t i = 0; i < kBlocks; ++i) Compare(i, "after Wait");
}

// Its memory is elsewhere then, and of another shape.
void RandomProgram::Move(std::size_t i) {
  Block& block = blocks_[i];
  if (!GoesOn(runtime_->WaitOn(block.handle, Mode::kInOut), "WaitOn before Resize")) return;
  Compare(i, "before Resize");
  RandomBlock moved;
  moved.Reshape(random_);
  if (!GoesOn(runtime_->Resize(block.handle, moved.tile()), "Resize")) return;
  std::swap(block.memory, moved);
}

void RandomProgram::End_(std::size_t i) {
  Block& block = blocks_[i];
  if (block.is_in_graph) return;
  if (!GoesOn(runtime_->WaitOn(block.handle, Mode::kInOut), "WaitOn before Unregister")) return;
  if (!GoesOn(runtime_->Unregister(block.handle), "Unregister")) return;
  Compare(i, "after Unregister");
  block.memory.Reshape(random_);
  Register(i);
}

// What a failed task leaves in its blocks is not defined, nor which of those behind it still run:
// all blocks are written again, by the program or by tasks.
void RandomProgram::FailOne() {
  std::array<std::size_t, kOwn> own;
  std::iota(own.begin(), own.end(), 0);
  GraphTask task = DrawTask(own);
  task.recipe.fails = true;
  Submit(task, DrawKernel(), 0);
  SubmitSome();
  const absl::Status status = runtime_->Wait();
  if (!absl::IsAborted(status)) {
    if (GoesOn(status, "Wait after a task that fails")) {
      end_ = End::kWrong;
      what_ = "Wait said nothing of a task that fails";
    }
    return;
  }
  for (std::size_t i = 0; i < kBlocks && !has_ended(); ++i) {
    Block& block = blocks_[i];
    if (OneIn(random_, 2)) {
      if (!GoesOn(runtime_->WaitOn(block.handle, Mode::kInOut), "WaitOn after a failure")) return;
      block.memory.Fill(random_);
      continue;
    }
    GraphTask writes;
    writes.recipe.salt = static_cast<Word>(random_());
    writes.recipe.accesses = 1;
    writes.recipe.modes[0] = Mode::kOut;
    writes.blocks = {i};
    Submit(writes, DrawKernel(), 0);
    PerformAlone(writes);
  }
}

// Which of them are left out is known when all have ended: by the runtime's word, of which it is
// proved that a task is left out if it was asked for, or reads a value that one that was left out
// or has failed was to write, and not else.
void RandomProgram::CancelSome() {
  if (setup_.may_lose_a_device) return;
  struct One {
    GraphTask task;
    Completion completion;
    bool is_asked = false;
  };
  std::vector<One> all(3 + Draw(random_, 12));
  std::array<std::size_t, kOwn> own;
  std::iota(own.begin(), own.end(), 0);
  for (One& one : all) {
    one.task = DrawTask(own);
    // Those that may come in any order may have come before a task that was left out.
    for (Mode& mode : one.task.recipe.modes) mode = Commutes(mode) ? Mode::kInOut : mode;
    one.task.recipe.fails = !setup_.stops_at_errors && OneIn(random_, 6);
    one.completion = Submit(one.task, DrawKernel(), static_cast<int>(Draw(random_, 3)));
    One& other = all[Draw(random_, all.size())];
    other.is_asked = other.is_asked || OneIn(random_, 3);
    if (other.is_asked) other.completion.Cancel();
  }
  submitted_ += all.size();
  for (One& one : all) one.is_asked = one.is_asked || OneIn(random_, 8);
  for (const One& one : all) {
    if (one.is_asked) one.completion.Cancel();
  }
  const absl::Status status = runtime_->Wait();
  std::array<bool, kBlocks> is_missing{}, is_undefined{};
  bool is_any_left_out = false, has_any_failed = false;
  for (const One& one : all) {
    const absl::Status outcome = one.completion.Wait();
    const bool is_left_out = absl::IsCancelled(outcome), has_failed = absl::IsAborted(outcome);
    bool reads_missing = false;
    for (std::size_t i = 0; i < one.task.blocks.size(); ++i) {
      reads_missing |= Reads(one.task.recipe.modes[i]) && is_missing[one.task.blocks[i]];
    }
    if (is_left_out ? !one.is_asked && !reads_missing
                    : has_failed != one.task.recipe.fails || !(has_failed || outcome.ok()) ||
                          reads_missing) {
      (void)GoesOn(absl::InternalError(absl::StrCat("a task has ended with ", outcome.ToString())),
                   "CancelSome");
      return;
    }
    for (std::size_t i = 0; i < one.task.blocks.size(); ++i) {
      if (!Writes(one.task.recipe.modes[i])) continue;
      const std::size_t block = one.task.blocks[i];
      is_missing[block] = is_left_out || has_failed;
      // A failed task leaves undefined values in its blocks.
      is_undefined[block] = has_failed || (is_left_out && is_undefined[block]);
    }
    if (!is_left_out && !has_failed) PerformAlone(one.task);
    is_any_left_out = is_any_left_out || is_left_out;
    has_any_failed = has_any_failed || has_failed;
  }
  const bool is_right =
      has_any_failed ? absl::IsAborted(status) : is_any_left_out == absl::IsCancelled(status);
  if (!is_right || !GoesOn(runtime_->Wait(), "CancelSome")) {
    (void)GoesOn(absl::InternalError(status.ToString()), "Wait after CancelSome");
    return;
  }
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (is_undefined[i]) {
      if (!GoesOn(runtime_->WaitOn(blocks_[i].handle, Mode::kInOut), "CancelSome")) return;
      blocks_[i].memory.Fill(random_);
    }
    Compare(i, "after CancelSome");
  }
}

bool RandomProgram::GoesOn(const absl::Status& status, const char* where) {
  if (has_ended()) return false;
  {
    const std::lock_guard lock(bodies_mutex_);
    if (!wrong_in_body_.empty()) {
      end_ = End::kWrong;
      what_ = wrong_in_body_;
      return false;
    }
  }
  if (status.ok()) return true;
  // Tasks that would have read the lost value may be left out for it.
  const bool is_of_loss = absl::IsDataLoss(status) || absl::IsCancelled(status);
  end_ = setup_.may_lose_a_device && is_of_loss ? End::kDataLost : End::kWrong;
  what_ = absl::StrCat(where, ": ", status.ToString());
  return false;
}

void RandomProgram::Compare(std::size_t i, const char* when) {
  if (has_ended()) return;
  const std::string difference = blocks_[i].memory.Difference();
  if (difference.empty()) return;
  end_ = End::kWrong;
  what_ = absl::StrCat(blocks_[i].name, " ", when, ": ", difference);
}

}  // namespace taskrt
