"""The nineteen checks of the peer package `trajai` over recorded runs, one JSON object a line: prints the ids of those that fail."""

import json
import sys

from trajai.core import assertions
from trajai.core.trajectory import Trajectory

EXPECTED = [True] * 17 + [False] * 2
FILTERS = {"tags": ["work", "security"], "after": "2026-01-01"}


def ask(run: Trajectory) -> list[bool]:
    a = assertions
    return [
        verdict
        for verdict, _ in (
            a.tool_was_called(run, "refund"),
            a.tool_not_called(run, "delete_user"),
            a.tool_call_count(run, "delete_user", 0),
            a.tool_called_with(run, "search", query="incident review audit", limit=7, filters=FILTERS),
            a.tool_called_with_partial(run, "search", limit=7),
            a.tool_called_before(run, "search", "refund"),
            a.tool_called_immediately_before(run, "search", "refund"),
            a.call_order_contains(run, ["search", "refund", "send_email"]),
            a.output_equals(run, "Done: refund RF-1234 was sent to the customer."),
            a.output_contains(run, "RF-"),
            a.output_not_contains(run, "sorry"),
            a.output_matches(run, r"RF-\d+"),
            a.cost_under(run, 1000000),
            a.tokens_under(run, 1000000000),
            a.duration_under(run, 60),
            a.llm_calls_under(run, 1000000),
            a.succeeded(run),
            a.failed(run),
            a.error_is(run, TimeoutError),
        )
    ]


with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        run = Trajectory.from_dict(json.loads(line))
        if ask(run) != EXPECTED:
            print(run.run_id)
