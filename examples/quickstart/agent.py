"""A support agent with the usual shape: a loop that collects OpenAI-style messages.

The model is a stub, so the example needs no network. It has a bug that real models have, too: the refund tool returns an
error, and the agent tells the customer that the refund is on its way.
"""

import json
import sys


def lookup_order(order):
    return {"order": order, "item": "clock", "price": 185}


def refund(order, amount):
    return {"error": f"{amount} is above the limit of 100"}


TOOLS = {"lookup_order": lookup_order, "refund": refund}


def model(messages):
    """Stands in for client.chat.completions.create(...)."""
    order = json.loads(messages[0]["content"])["order"]
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn == 0:
        return call("call_1", "lookup_order", {"order": order})
    if turn == 1:
        return call("call_2", "refund", {"order": order, "amount": 185})
    return {"role": "assistant", "content": "Your refund RF-2043 is on its way."}


def call(call_id, name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def run(request):
    messages = [{"role": "user", "content": json.dumps(request)}]
    while True:
        message = model(messages)
        messages.append(message)
        if "tool_calls" not in message:
            return message["content"], messages
        for tool_call in message["tool_calls"]:
            function = tool_call["function"]
            result = TOOLS[function["name"]](**json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": tool_call["id"], "content": json.dumps(result)})


if __name__ == "__main__":
    answer, messages = run(json.load(sys.stdin))
    print(json.dumps({"response": {"message": answer}, "trajectory": {"messages": messages}}))
