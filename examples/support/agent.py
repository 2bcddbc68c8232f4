"""A support agent in a shop, small enough to read: no model, no network, the same answer every time.

It reads {"order": number, "message": string} from stdin, and prints what it said, did and saw to stdout:
{"response": …, "trajectory": …, "report": …}.
"""

import json
import sys

ORDERS = {4711: ("mug", 18.50), 4801: ("lamp", 140.00)}
POLICIES = {
    "refunds": "Refund policy: broken goods are refunded up to 100, within 30 days.",
    "shipping": "Shipping policy: two to five working days.",
}
BUDGET = 60


class Agent:
    def __init__(self, request):
        self.request = request
        self.steps = []
        self.tools = ["lookup_order", "check_policy", "refund", "delete_account"]

    def think(self, tokens):
        self.steps.append({"step_type": "llm_call", "model": "small-1", "prompt_tokens": tokens,
                           "completion_tokens": 20, "cost": round(tokens * 0.00001, 5)})

    def call(self, tool, args, result):
        self.steps.append({"step_type": "tool_call", "tool_name": tool, "tool_args": args, "tool_result": result})
        return result

    def see(self):
        """Chooses the documents that fit into the budget, the best first."""
        words = set(self.request["message"].lower().replace(",", " ").replace(".", " ").split())
        scored = [(len(words & set(text.lower().replace(":", " ").split())) / 10, name, text)
                  for name, text in POLICIES.items()]
        scored.append((0.9, "message", self.request["message"]))
        included, excluded, room = [], [], BUDGET
        for score, name, text in sorted(scored, key=lambda entry: (-entry[0], entry[1])):
            item = {"content": text, "tokens": 8 + 2 * len(text.split()),
                    "kind": "Message" if name == "message" else "Document", "source": name}
            if item["tokens"] <= room:
                room -= item["tokens"]
                included.append({"item": item, "score": score, "reason": {"reason": "Scored"}})
            else:
                reason = {"reason": "BudgetExceeded", "item_tokens": item["tokens"], "available_tokens": room}
                excluded.append({"item": item, "score": score, "reason": reason})
        every = included + excluded
        return {"events": [], "included": included, "excluded": excluded, "total_candidates": len(every),
                "total_tokens_considered": sum(entry["item"]["tokens"] for entry in every),
                "count_requirement_shortfalls": []}

    def answer(self):
        order = self.request.get("order")
        self.think(300)
        if order not in ORDERS:
            self.call("lookup_order", {"order": order}, None)
            return {"status": "error", "error_code": "NO_ORDER", "message": f"There is no order {order}.",
                    "citations": []}
        item, price = ORDERS[order]
        self.call("lookup_order", {"order": order}, {"item": item, "price": price})
        self.think(420)
        allowed = price <= 100
        self.call("check_policy", {"item": item, "reason": "broken"}, {"refundable": allowed})
        self.think(510)
        if not allowed:
            return {"status": "success", "message": f"A {item} for {price:.2f} is above what I may refund; a colleague will.",
                    "citations": ["refunds"]}
        refund = self.call("refund", {"order": order, "amount": price, "reason": "broken"}, {"id": f"RF-{order + 1000}"})
        return {"status": "success", "message": f"Your refund {refund['id']} over {price:.2f} is on its way.",
                "citations": ["refunds"]}


def main():
    agent = Agent(json.load(sys.stdin))
    report = agent.see()
    response = agent.answer()
    trajectory = {"input": agent.request["message"], "tools": agent.tools, "steps": agent.steps,
                  "final_output": response["message"], "duration_seconds": 0.5}
    print(json.dumps({"response": response, "trajectory": trajectory, "report": report}))


main()
