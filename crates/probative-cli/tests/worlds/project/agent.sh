# Answers by what it is asked: an order that it knows, one that it does not, or a crash.
read -r input
case "$input" in
    *crash*) echo "it broke" >&2; exit 3 ;;
    *4711*) echo '{"response": {"status": "success", "message": "Refunded as RF-2043.", "results": [{"id": "a"}]}, "trajectory": {"steps": [{"step_type": "llm_call", "cost": 0.1}, {"step_type": "tool_call", "tool_name": "refund", "tool_result": {"id": "RF-1"}}]}}' ;;
    *) echo "{\"status\": \"error\", \"error\": {\"code\": \"NO_ORDER\"}, \"input\": $input}" ;;
esac
