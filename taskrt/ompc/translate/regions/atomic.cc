#include "taskrt/ompc/translate/regions/atomic.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/assignments.h"

namespace taskrt {
namespace {

bool AreSame(const Tokens& tokens, TokenRange a, TokenRange b) {
  return std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(a.begin),
                    tokens.begin() + static_cast<std::ptrdiff_t>(a.end),
                    tokens.begin() + static_cast<std::ptrdiff_t>(b.begin),
                    tokens.begin() + static_cast<std::ptrdiff_t>(b.end),
                    [](const Token& one, const Token& other) { return one.text == other.text; });
}

// Without brackets around it.
TokenRange Bare(const Tokens& tokens, TokenRange range) {
  while (!range.empty() && tokens[range.begin].Is("(") &&
         AfterBrackets(tokens, range.begin) == range.end) {
    ++range.begin;
    --range.end;
  }
  return range;
}

bool IsEnd(const Tokens& tokens, std::size_t at) {
  return at >= tokens.size() || tokens[at].Is(";") || tokens[at].Is("}");
}

// May it be assigned to, as its operators say?
bool IsLvalue(const Tokens& tokens, TokenRange range) {
  bool is_begin = true;
  for (std::size_t i = range.begin; i < range.end;) {
    const bool is_bracket = tokens[i].Is("(") || tokens[i].Is("[");
    const bool is_arrow = i + 1 < range.end && tokens[i].Is("-") && tokens[i + 1].Is(">");
    const bool is_mark = tokens[i].kind == Token::Kind::kMark && !is_bracket && !is_arrow;
    if (is_mark && !(is_begin && tokens[i].Is("*")) && !tokens[i].Is(".")) return false;
    is_begin = is_begin && is_mark;
    i = is_bracket ? AfterBrackets(tokens, i) : i + (is_arrow ? 2 : 1);
  }
  return !range.empty();
}

// The assignment to the variable that is atomic: of several, the others keep its value.
std::optional<Assignment> AssignmentOf(const Tokens& tokens, const std::vector<Assignment>& all) {
  for (const Assignment& one : all) {
    const bool is_all = IsEnd(tokens, one.all.end) && IsLvalue(tokens, one.place);
    if (!one.op.empty() && is_all) return one;
  }
  std::vector<Assignment> plain;
  for (const Assignment& one : all) {
    if (one.op.empty()) plain.push_back(one);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].Is("if")) continue;
    const auto in_it = std::find_if(plain.begin(), plain.end(),
                                    [&](const Assignment& one) { return one.place.begin > i; });
    return in_it == plain.end() ? std::nullopt : std::optional(*in_it);
  }
  if (plain.size() == 1) return plain[0];
  if (plain.size() != 2) return std::nullopt;
  // v = x = EXPRESSION; {v = x; x = EXPRESSION;}; {x = EXPRESSION; v = x;}
  if (plain[1].place.begin == plain[0].value.begin) return plain[1];
  const auto is_kept = [&](const Assignment& by, const Assignment& of) {
    return AreSame(tokens, Bare(tokens, by.value), Bare(tokens, of.place));
  };
  if (is_kept(plain[0], plain[1])) return plain[1];
  return is_kept(plain[1], plain[0]) ? std::optional(plain[0]) : std::nullopt;
}

// ++, --, or an assignment in brackets: more than `steps` would be done again where the statement
// is.
bool HasEffects(const Tokens& tokens, int steps) {
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += tokens[i].Is("(") || tokens[i].Is("[") ? 1 : 0;
    depth -= tokens[i].Is(")") || tokens[i].Is("]") ? 1 : 0;
    if (depth > 0 && IsAssigning(tokens, i)) return true;
    if (!IsStep(tokens, i)) continue;
    ++i;
    if (--steps < 0) return true;
  }
  return false;
}

bool Calls(const Tokens& tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const Token& before = tokens[i - 1];
    const bool is_other = before.Is("if") || before.Is("sizeof") || before.Is("_Alignof");
    if (tokens[i].Is("(") && before.kind == Token::Kind::kWord && !is_other) return true;
  }
  return false;
}

bool IsAt(const Tokens& tokens, std::size_t at, TokenRange place) {
  const std::size_t end = at + place.end - place.begin;
  if (end > tokens.size() || !AreSame(tokens, {at, end}, place)) return false;
  const bool is_member = at > 0 && (tokens[at - 1].Is(".") ||
                                    (at > 1 && tokens[at - 1].Is(">") && tokens[at - 2].Is("-")));
  const bool goes_on =
      end < tokens.size() && (tokens[end].Is("[") || tokens[end].Is(".") || tokens[end].Is("("));
  return !is_member && !goes_on;
}

// Is it one operand of `op`, if it has no brackets around it?
bool IsOperand(const Tokens& tokens, TokenRange range, char op) {
  static constexpr std::pair<char, std::string_view> kBindStronger[] = {
      {'+', "+*/%"},   {'-', "*/%"},     {'*', "*"},
      {'&', "&+-*/%"}, {'^', "^&+-*/%"}, {'|', "|^&+-*/%"}};
  std::string_view may_be;
  for (const auto& [its, operators] : kBindStronger) may_be = its == op ? operators : may_be;
  bool is_operand_next = true;  // what is an operator there is unary
  for (std::size_t i = range.begin; i < range.end;) {
    const bool is_bracket = tokens[i].Is("(") || tokens[i].Is("[");
    const bool is_arrow = i + 1 < range.end && tokens[i].Is("-") && tokens[i + 1].Is(">");
    const bool is_member = is_arrow || tokens[i].Is(".");
    const bool is_mark = tokens[i].kind == Token::Kind::kMark && !is_bracket && !is_member;
    if (is_mark && !IsMark(tokens, i, is_operand_next ? "+-!~*&" : may_be)) return false;
    is_operand_next = is_mark || is_member;
    i = is_bracket ? AfterBrackets(tokens, i) : i + (is_arrow ? 2 : 1);
  }
  return true;
}

// The part of an update's value that is computed before: of x OPERATOR= e, x = x OPERATOR e and
// x = e OPERATOR x the e. `op`: the operator of the latter two.
TokenRange ComputedBefore(const Tokens& tokens, const Assignment& update, std::string& op) {
  const TokenRange value = update.value, place = update.place;
  if (!update.op.empty() || value.empty()) return value;
  std::size_t places = 0;
  for (std::size_t i = value.begin; i < value.end; ++i) places += IsAt(tokens, i, place) ? 1 : 0;
  if (places == 0) return value;
  const std::size_t size = place.end - place.begin;
  const std::size_t first = value.begin + size, last = value.end - size - 1;
  if (places > 1 || value.end - value.begin < size + 2) return {};
  TokenRange rest;
  std::size_t at = 0;  // of the operator
  if (IsAt(tokens, value.begin, place) && IsMark(tokens, first, "+-*&|^")) {
    at = first;
    rest = {first + 1, value.end};
  } else if (IsAt(tokens, last + 1, place) && IsMark(tokens, last, "+*&|^")) {
    at = last;
    rest = {value.begin, last};
  }
  if (rest.empty() || !IsOperand(tokens, rest, tokens[at].text[0])) return {};
  op = tokens[at].text;
  return rest;
}

// On one line, as macros' arguments must have no lines of the preprocessor.
std::string Spelled(const Tokens& tokens, TokenRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const bool is_apart = i > range.begin && !Touches(tokens, i - 1);
    absl::StrAppend(&text, is_apart ? " " : "", tokens[i].text);
  }
  return text;
}

// The statement, with ompc_new in the place's place, ompc_value in that of what is computed, and
// *ompc_kept in that of what keeps a value, if that is not empty.
std::string Changed(const Tokens& tokens, TokenRange place, TokenRange computed, TokenRange kept) {
  std::string changed;
  for (std::size_t i = 0; i < tokens.size();) {
    const bool is_value = i == computed.begin && !computed.empty();
    const bool is_kept = i == kept.begin && !kept.empty();
    const bool is_place = !is_value && !is_kept && IsAt(tokens, i, place);
    absl::StrAppend(&changed, i > 0 && !Touches(tokens, i - 1) ? " " : "",
                    is_value   ? "ompc_value"
                    : is_kept  ? "(*ompc_kept)"
                    : is_place ? "ompc_new"
                               : tokens[i].text);
    i = is_value ? computed.end : is_kept ? kept.end : i + (is_place ? place.end - place.begin : 1);
  }
  return changed;
}

// __atomic_fetch_NAME
std::string_view FetchOf(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> kAll[] = {
      {"+", "add"}, {"-", "sub"}, {"&", "and"}, {"|", "or"}, {"^", "xor"}};
  for (const auto& [its, name] : kAll) {
    if (op == its) return name;
  }
  return "";
}

// The assignment that the directive is about.
std::optional<Assignment> AtomicAssignment(const Directive& directive, const Tokens& tokens,
                                           const std::vector<Assignment>& all) {
  if (!directive.Has("read") && !directive.Has("write")) return AssignmentOf(tokens, all);
  const auto plain = std::find_if(all.begin(), all.end(), [&](const Assignment& one) {
    return one.op.empty() && !one.value.empty();
  });
  return plain == all.end() ? std::nullopt : std::optional(*plain);
}

// The place that keeps a value, where its address is taken before, once.
TokenRange KeptPlace(const Tokens& tokens, const std::vector<Assignment>& all,
                     const Assignment& update) {
  TokenRange kept;
  for (const Assignment& other : all) {
    const Tokens its(tokens.begin() + static_cast<std::ptrdiff_t>(other.place.begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(other.place.end));
    const bool keeps = other.op.empty() && other.place.begin != update.place.begin;
    if (keeps && (HasEffects(its, 0) || Calls(its))) kept = other.place;
  }
  return kept;
}

AtomicRegion::Order OrderOf(const Directive& directive, AtomicRegion::Order by_default) {
  return directive.Has("seq_cst") ? AtomicRegion::Order::kSequential : by_default;
}

}  // namespace

absl::StatusOr<AtomicRegion> AtomicOf(Resolution& resolution, const ParsedConstruct& construct) {
  using Kind = AtomicRegion::Kind;
  const Directive& directive = construct.directive;
  const Source& source = resolution.source;
  resolution.sections.insert(std::string(kAtomicSection));
  const Tokens tokens = TokensOf(source.Text(source.AfterSpace(construct.at), construct.end));
  const auto text = [&](TokenRange range) {
    return range.empty() ? "" : resolution.scopes.Rewritten(Spelled(tokens, range));
  };
  const std::vector<Assignment> all = AssignmentsOf(tokens);
  std::optional<Assignment> update = AtomicAssignment(directive, tokens, all);
  if (!update || update->place.empty()) {
    return absl::InvalidArgumentError("an assignment, ++ or -- of a variable behind atomic");
  }
  AtomicRegion region;
  region.line_ends = LineEndsOf(source, construct.at, construct.end);
  region.is_step = update->is_step();
  if (directive.Has("read")) {
    region.kind = Kind::kRead;
    region.order = OrderOf(directive, AtomicRegion::Order::kAcquire);
    region.value = text(update->value);
    region.place = text(update->place);
    return region;
  }
  const bool is_write = directive.Has("write");
  const Assignment whole = *update;
  update->place = Bare(tokens, update->place);
  const bool is_compare =
      update->op.empty() && std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
        return token.Is("if") || token.Is("?");
      });
  std::string op = update->op;
  const TokenRange computed =
      is_write ? update->value : (is_compare ? TokenRange() : ComputedBefore(tokens, *update, op));
  region.is_stored = op.empty() && !computed.empty();
  if (region.is_stored && !is_write && !directive.Has("capture")) {
    return absl::InvalidArgumentError("VARIABLE = VARIABLE OPERATOR EXPRESSION behind atomic");
  }
  const TokenRange kept = is_compare ? TokenRange() : KeptPlace(tokens, all, whole);
  const std::string changed = Changed(tokens, update->place, computed, kept);
  if (Calls(TokensOf(changed)) || HasEffects(TokensOf(changed), update->is_step() ? 1 : 0)) {
    return absl::InvalidArgumentError(
        "VARIABLE OPERATOR= EXPRESSION behind atomic where it calls, or changes another variable");
  }
  region.place = text(update->place);
  region.kept = text(kept);
  region.value = text(computed);
  region.kind = is_write ? Kind::kWrite : Kind::kUpdate;
  region.order =
      OrderOf(directive, is_write ? AtomicRegion::Order::kRelease : AtomicRegion::Order::kBoth);
  if (is_write) return region;
  const bool is_all = whole.all.begin == 0 && whole.all.end + 1 >= tokens.size() && !is_compare;
  if (is_all) region.fetch = FetchOf(op);
  region.changed = resolution.scopes.Rewritten(changed);
  return region;
}

}  // namespace taskrt
