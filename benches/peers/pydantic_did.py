"""Recorded runs, one JSON object a line, as a dataset of the peer package `pydantic-evals`: prints the ids of those that fail.

A case is a run, and the task is to give what was recorded; one evaluator is the package's own, the other looks at the steps.
"""

import json
import sys
from dataclasses import dataclass

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext


@dataclass
class Calls(Evaluator):
    """A refund was made, nobody was deleted, and a search came before the refund."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        called = [step["tool_name"] for step in ctx.output["steps"] if step["step_type"] == "tool_call"]
        return (
            "refund" in called
            and "delete_user" not in called
            and "search" in called
            and called.index("search") < called.index("refund")
        )


@dataclass
class Says(Evaluator):
    """The output names a refund."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        return "RF-" in ctx.output["final_output"]


with open(sys.argv[1], encoding="utf-8") as lines:
    runs = [json.loads(line) for line in lines]
cases = [Case(name=run["run_id"], inputs=number) for number, run in enumerate(runs)]
dataset = Dataset(name="runs", cases=cases, evaluators=[Calls(), Says()])
report = dataset.evaluate_sync(lambda number: runs[number], progress=False)
assert not report.failures, report.failures
for case in report.cases:
    if not all(verdict.value for verdict in case.assertions.values()):
        print(case.name)
