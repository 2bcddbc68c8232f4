"""A stand-in for your agent.

It reads its input as JSON from stdin, and prints what it said (response) and what it did (trajectory) as JSON to
stdout. Replace `answer` with your agent; probative.toml says how to start it.
"""

import json
import sys

ORDERS = {4711: {"item": "mug", "price": 18.5}}


def lookup_order(order):
    return ORDERS.get(order)


def refund(order, amount):
    return {"id": "RF-1"}


TOOLS = [lookup_order, refund]


def call(messages, tool, **arguments):
    """Calls a tool, and records the call and its result as OpenAI messages do."""
    id = f"call_{len(messages)}"
    function = {"name": tool.__name__, "arguments": json.dumps(arguments)}
    messages.append({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function}]})
    result = tool(**arguments)
    messages.append({"role": "tool", "tool_call_id": id, "content": json.dumps(result)})
    return result


def answer(request, messages):
    """Decides what to do. Here a real agent asks a model."""
    order = call(messages, lookup_order, order=request["order"])
    if order is None:
        return {"status": "error", "message": "I can't find that order."}
    # TRY: replace the next line with  receipt = {"id": "RF-1"}
    receipt = call(messages, refund, order=request["order"], amount=order["price"])
    return {"status": "success", "message": f"Your refund {receipt['id']} is on its way."}


request = json.load(sys.stdin)
messages = [{"role": "user", "content": request["message"]}]
response = answer(request, messages)
messages.append({"role": "assistant", "content": response["message"]})
# With the list of tools, a case can tell that a tool was available but not called.
tools = [{"type": "function", "function": {"name": tool.__name__}} for tool in TOOLS]
print(json.dumps({"response": response, "trajectory": {"messages": messages, "tools": tools}}))
