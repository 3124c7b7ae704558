"""What clang's cursors do not say about a declaration, read from its tokens. Pure: lists of strings in, text out."""

import re

SPECIFIERS = ("virtual", "static", "explicit", "constexpr", "consteval")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
ANNOTATION = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
# What the next token follows without a blank.
OPEN = re.compile(r"(^|[(\[~!]|::|\w<|template <|[^.]\.)$")


def join(tokens):
    """Tokens -> text whose blanks do not depend on how the source breaks its lines."""
    text = ""
    for token in tokens:
        glued = (OPEN.search(text) or token in (")", "]", ">", ">>", ",", "::", ";", "...", "[", ".") or
                 token == "(" and re.search(r"[\w>]$", text) or token == "<" and re.search(r"\w(?<!template)$", text))
        text += token if glued else " " + token
    return text


def skip_balanced(tokens, begin):
    """The index behind what tokens[begin] opens. Inside of (...) a < is not a bracket."""
    depth, at = 0, begin
    is_angle = begin < len(tokens) and tokens[begin] == "<"
    while at < len(tokens):
        token = tokens[at]
        if is_angle and token in BRACKETS:
            at = skip_balanced(tokens, at)
            continue
        if is_angle:
            depth += (token == "<") - (token == ">") - 2 * (token == ">>")
        else:
            depth += (token in BRACKETS) - (token in BRACKETS.values())
        at += 1
        if depth <= 0:
            break
    return at


def skip_primary(tokens, begin):
    """The index behind one operand of a requires-clause: (...), requires {...} or a name with template arguments."""
    at = begin
    if at < len(tokens) and tokens[at] == "requires":
        at += 1
        if at < len(tokens) and tokens[at] == "(":
            at = skip_balanced(tokens, at)
        return skip_balanced(tokens, at)
    if at < len(tokens) and tokens[at] == "(":
        return skip_balanced(tokens, at)
    while at < len(tokens):
        at += 1  # A part of the name.
        if at < len(tokens) and tokens[at] == "<":
            at = skip_balanced(tokens, at)
        if at >= len(tokens) or tokens[at] != "::":
            break
        at += 1
    return at


def requires_clause(tokens, begin):
    """The clause at tokens[begin] -> (text, the index behind it); ('', begin) where there is none."""
    if begin >= len(tokens) or tokens[begin] != "requires":
        return "", begin
    at = skip_primary(tokens, begin + 1)
    while at < len(tokens) and tokens[at] in ("&&", "||"):
        at = skip_primary(tokens, at + 1)
    return join(tokens[begin:at]), at


def template_head(tokens):
    """-> (`template <...> [requires ...]` or '', the tokens behind it)."""
    if not tokens or tokens[0] != "template" or len(tokens) < 2 or tokens[1] != "<":
        return "", tokens
    end = skip_balanced(tokens, 1)
    clause, behind = requires_clause(tokens, end)
    text = "template <" + join(tokens[2:end])
    return (f"{text} {clause}" if clause else text), tokens[behind:]


def specifiers(tokens):
    """Those of a function: before its parameters, outside of attributes."""
    found = []
    for token in tokens:
        if token == "(":
            break
        if token in SPECIFIERS and token not in found:
            found.append(token)
    return found


def parameters_end(tokens, name):
    """The index behind the parameters of a function called `name` (as `operator()`, `Run`)."""
    at = 0
    if name.startswith("operator") and "operator" in tokens:
        at = tokens.index("operator") + 1
        if tokens[at] == "(":
            at += 2
    else:
        first = re.match(r"~?\w+", name)
        wanted = first.group().lstrip("~") if first else ""
        if wanted in tokens:
            at = tokens.index(wanted)
    while at < len(tokens) and tokens[at] != "(":
        at += 1
    return skip_balanced(tokens, at) if at < len(tokens) else len(tokens)


def tail(tokens):
    """What a caller must know of the tokens behind a function's parameters: const, &, noexcept, requires, = delete, = 0."""
    kept, at = [], 0
    while at < len(tokens) and tokens[at] not in ("{", ";", ":", "try", "->"):
        token = tokens[at]
        if token in ("const", "&", "&&", "volatile"):
            kept.append(token)
        elif token == "noexcept":
            end = skip_balanced(tokens, at + 1) if tokens[at + 1:at + 2] == ["("] else at + 1
            kept.append(join(tokens[at:end]))
            at = end - 1
        elif token == "requires":
            clause, end = requires_clause(tokens, at)
            kept.append(clause)
            at = end - 1
        elif token == "=" and tokens[at + 1:at + 2] in (["delete"], ["0"]):
            kept.append("= " + tokens[at + 1])
        elif ANNOTATION.match(token) and tokens[at + 1:at + 2] == ["("]:
            at = skip_balanced(tokens, at + 1) - 1  # Of locks; it changes no call.
        at += 1
    # A requires-clause may stand behind a trailing return type.
    if at < len(tokens) and tokens[at] == "->" and "requires" in tokens[at:]:
        kept.append(requires_clause(tokens, tokens.index("requires", at))[0])
    return kept
