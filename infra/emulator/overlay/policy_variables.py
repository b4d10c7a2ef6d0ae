"""Policy variables (`${aws:PrincipalTag/team}`) in conditions, which MiniStack compares as they are written.

A variable stands for what the request says of that key. Where the request says nothing, no value is equal to it, so the
condition does not hold: which is also what AWS does.
"""

import re

from ministack.core import iam_evaluator

VARIABLE = re.compile(r"\$\{([^}]+)\}")
NOTHING = "\x00"
LITERAL = {"*": "*", "?": "?", "$": "$"}


def apply():
    met = iam_evaluator._conditions_met

    def all_met(conditions, context):
        return met(_filled(conditions, context), context)

    iam_evaluator._conditions_met = all_met


def _filled(part, context):
    if isinstance(part, dict):
        return {key: _filled(value, context) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, context) for value in part]
    if not isinstance(part, str):
        return part
    return VARIABLE.sub(lambda found: _said(found.group(1), context), part)


def _said(name, context):
    if name in LITERAL:
        return LITERAL[name]
    name, _, default = name.partition(",")
    said = iam_evaluator._resolve_condition_key(name.strip(), context)
    if said is None:
        return default.strip().strip("'") if default else NOTHING
    return str(said)
