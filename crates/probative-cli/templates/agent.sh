# A stand-in for your agent. It reads its input as JSON from stdin, and prints what it said (response) and
# what it did (trajectory) as JSON to stdout. Replace it with your agent; probative.toml says how to start it.
read -r input || { echo "agent.sh: no input on stdin" >&2; exit 2; }

case "$input" in
*4711*)
    # TRY: change RF-1 to RF-2 in "message".
    cat <<'END'
{
  "response": {"status": "success", "message": "Your refund RF-1 is on its way."},
  "trajectory": {"messages": [
    {"role": "user", "content": "My mug is broken, I want my money back."},
    {"role": "assistant", "tool_calls": [{"id": "1", "type": "function",
      "function": {"name": "lookup_order", "arguments": "{\"order\": 4711}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "{\"price\": 18.5}"},
    {"role": "assistant", "tool_calls": [{"id": "2", "type": "function",
      "function": {"name": "refund", "arguments": "{\"order\": 4711, \"amount\": 18.5}"}}]},
    {"role": "tool", "tool_call_id": "2", "content": "{\"id\": \"RF-1\"}"},
    {"role": "assistant", "content": "Your refund is on its way."}
  ]}
}
END
    ;;
*)
    cat <<'END'
{
  "response": {"status": "error", "message": "I can't find that order."},
  "trajectory": {"messages": [
    {"role": "user", "content": "Where is my money?"},
    {"role": "assistant", "tool_calls": [{"id": "1", "type": "function",
      "function": {"name": "lookup_order", "arguments": "{\"order\": 1}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "null"},
    {"role": "assistant", "content": "I can't find that order."}
  ], "tools": [
    {"type": "function", "function": {"name": "lookup_order"}},
    {"type": "function", "function": {"name": "refund"}}
  ]}
}
END
    ;;
esac
