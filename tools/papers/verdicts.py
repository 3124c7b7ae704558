"""What a paper says in its tables, figures, listings and programs, and whether our values agree. Pure.

A paper's file has rows; a row has claims, each with a rule and the paper's value, typed from the paper:

  equal       the same value, or the same list
  near        a number, at most a quarter more or less
  below, at most, at least
  between     two numbers
  order       names, in that order
  contains    all of these names
  true        a finding, which is seen or not
"""

import json

NEAR = 1.25  # A quarter more, or less by the same factor.
RULES = {
    "equal": lambda paper, ours: ours == paper,
    "near": lambda paper, ours: ours > 0 and max(ours / paper, paper / ours) <= NEAR,
    "below": lambda paper, ours: ours < paper,
    "at most": lambda paper, ours: ours <= paper,
    "at least": lambda paper, ours: ours >= paper,
    "between": lambda paper, ours: paper[0] <= ours <= paper[1],
    "order": lambda paper, ours: list(ours) == list(paper),
    "contains": lambda paper, ours: set(paper) <= set(ours),
    "true": lambda paper, ours: bool(ours) == bool(paper),
}
KINDS = {"near": (int, float), "below": (int, float), "at most": (int, float), "at least": (int, float),
         "between": list, "order": list, "contains": list, "true": bool}


class Failure(Exception):
    """One sentence for the user."""


def agrees(claim, ours):
    """Whether our value agrees with the claim's."""
    return RULES[claim["rule"]](claim["paper"], ours)


def verdict(row, ours):
    """'agrees', 'differs', or 'not shown' where a claim has no value of ours; ours: by claim."""
    verdicts = [agrees(claim, ours[claim["claim"]]) for claim in row["claims"] if claim["claim"] in ours]
    if False in verdicts:
        return "differs"
    return "agrees" if len(verdicts) == len(row["claims"]) else "not shown"


def parse(text, file):
    """A paper's file; refuses what no rule can be asked of."""
    try:
        paper = json.loads(text)
    except json.JSONDecodeError as error:
        raise Failure(f"{file}:{error.lineno}: {error.msg}") from error
    for key in ("paper", "title", "authors", "machine", "rows"):
        if key not in paper:
            raise Failure(f"{file}: '{key}' is missing")
    names = [row.get("row") for row in paper["rows"]]
    for row in paper["rows"]:
        where = f"{file}: {row.get('row')}"
        if names.count(row.get("row")) > 1:
            raise Failure(f"{where} is there twice")
        if not all(row.get(key) for key in ("row", "section", "title", "claims")):
            raise Failure(f"{where}: a row has row, section, title and claims")
        for claim in row["claims"]:
            if claim.get("rule") not in RULES:
                raise Failure(f"{where}: '{claim.get('rule')}' is no rule, expected one of {', '.join(RULES)}")
            kind = KINDS.get(claim["rule"], object)
            if not isinstance(claim.get("paper"), kind) or (kind is not bool and isinstance(claim["paper"], bool)):
                raise Failure(f"{where}: {claim.get('claim')}: the paper's value does not fit the rule '{claim['rule']}'")
        claims = [claim.get("claim") for claim in row["claims"]]
        if len(set(claims)) != len(claims) or not all(claims):
            raise Failure(f"{where}: a claim is there twice, or has no name")
    return paper
