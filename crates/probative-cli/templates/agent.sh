# A stand-in for your agent: it is given its input as JSON on standard input, and answers on standard output.
#
# Put your own here, or change the command in probative.toml. Whatever it prints is its answer; one that can also tell
# what it did prints both, as below: what it said (response) and its steps (trajectory).
read -r input || { echo "agent.sh: no input" >&2; exit 2; }

case "$input" in
*4711*)
    cat <<'END'
{
  "response": {"status": "success", "message": "Your money is on its way: refund RF-1."},
  "trajectory": {
    "tools": ["lookup_order", "refund", "delete_account"],
    "steps": [
      {"step_type": "tool_call", "tool_name": "lookup_order", "tool_args": {"order": 4711}, "tool_result": {"price": 18.5}},
      {"step_type": "tool_call", "tool_name": "refund", "tool_args": {"amount": 18.5}, "tool_result": {"id": "RF-1"}}
    ]
  }
}
END
    ;;
*)
    cat <<'END'
{"response": {"status": "error", "message": "I know no such order."}, "trajectory": {"tools": ["refund"], "steps": []}}
END
    ;;
esac
