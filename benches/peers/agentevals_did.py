"""A match of trajectories by the peer package `agentevals`, over conversations, one JSON object a line: prints the ids of
those that fail.

agentevals_did.py convert RUNS CONVERSATIONS: writes recorded runs as the messages that it takes.
agentevals_did.py CONVERSATIONS: was a search made with these arguments, and were a refund and a mail sent with any? Those are
the calls of the reference that "superset" wants among the calls of the run.
"""

import json
import sys

FILTERS = {"tags": ["work", "security"], "after": "2026-01-01"}
REFERENCE = [("search", {"query": "incident review audit", "limit": 7, "filters": FILTERS}), ("refund", {}), ("send_email", {})]


def call(name, args, number):
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


def messages(run):
    said = [{"role": "user", "content": run["input"]}]
    for step in run["steps"]:
        if step["step_type"] == "tool_call":
            asked = call(step["tool_name"], step["tool_args"], step["step_index"])
            said.append({"role": "assistant", "content": "", "tool_calls": [asked]})
            said.append({"role": "tool", "tool_call_id": asked["id"], "content": json.dumps(step["tool_result"])})
    said.append({"role": "assistant", "content": run["final_output"]})
    return {"id": run["run_id"], "messages": said}


def convert(runs, conversations):
    with open(runs, encoding="utf-8") as lines, open(conversations, "w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(messages(json.loads(line))) + "\n")


def ask(conversations):
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluate = create_trajectory_match_evaluator(
        trajectory_match_mode="superset",
        tool_args_match_mode="exact",
        tool_args_match_overrides={"refund": "ignore", "send_email": "ignore"},
    )
    wanted = [call(name, args, number) for number, (name, args) in enumerate(REFERENCE)]
    reference = [{"role": "assistant", "content": "", "tool_calls": wanted}]
    with open(conversations, encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            if not evaluate(outputs=run["messages"], reference_outputs=reference)["score"]:
                print(run["id"])


if sys.argv[1] == "convert":
    convert(sys.argv[2], sys.argv[3])
else:
    ask(sys.argv[1])
