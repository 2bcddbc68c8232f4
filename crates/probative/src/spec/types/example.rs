//! A case for each type.

pub(super) const TEXT_FILE: &str = "\
id: README-NAMES-LICENSE
type: text.file
path: README.md
assert:
  - target: text
    must:
      - contain: [MIT]
";

pub(super) const CLI_RUN: &str = "\
id: SORTS-NUMBERS
type: cli.run
argv: [-n]
exit_code: 0
harness: {entrypoint: sort, stdin_text: \"10\\n9\\n\"}
assert:
  - target: stdout
    must:
      - regex: ['\\A9\\n10$']
  - target: stderr
    cannot:
      - regex: ['\\S']
";

pub(super) const API_HTTP: &str = "\
id: ORDER-EXISTS
type: api.http
request: {method: GET, url: orders/4711.json}     # or http://127.0.0.1:8080/orders/4711
assert:
  - target: status
    must:
      - contain: ['200']
  - target: body_json
    must:
      - evaluate: [[eq, [get, [subject], id], 4711]]
";

pub(super) const AGENT_RESPONSE: &str = "\
id: REPORTS-PRICE
type: agent.response
input: {order: 4711}
harness: {entrypoint: echo, argv: ['{\"status\": \"success\", \"price\": 18.5}']}
assert:
  - must:
      - status: [success]
      - range_check: [{path: price, min: 0, max: 100}]
";

pub(super) const AGENT_TRAJECTORY: &str = "\
id: CHECKS-POLICY-FIRST
type: agent.trajectory
trajectory:                     # or file: recorded/run.json, or an agent under harness
  steps:
    - {step_type: tool_call, tool_name: check_policy}
    - {step_type: tool_call, tool_name: refund, tool_args: {amount: 18.5}}
assert:
  - must:
      - tool_called_before: [{first: check_policy, second: refund}]
      - tool_called_with_partial: [{name: refund, args: {amount: {$lte: 100}}}]
";

#[cfg(feature = "cupel")]
pub(super) const CONTEXT_SELECTION: &str = "\
id: POLICY-IN-CONTEXT
type: context.selection
report:                         # or file: recorded/report.json, or an agent under harness
  events: []
  included: [{item: {content: Refund policy, tokens: 3, kind: Document}, score: 1, reason: {reason: Scored}}]
  excluded: []
  total_candidates: 1
  total_tokens_considered: 3
assert:
  - must:
      - include_item_with_kind: [Document]
";

pub(super) const AGENT_RUN: &str = "\
id: REFUND-WAS-ISSUED
type: agent.run
response: {message: Refunded as RF-1.}
trajectory:
  steps: [{step_type: tool_call, tool_name: refund, tool_result: {id: RF-1}}]
assert:
  - target: response
    must:
      - message_contains: [RF-1]
  - target: trajectory
    must:
      - tool_was_called: [refund]
claims:
  - when: {path: message, regex: 'RF-(\\d+)'}
    then: {target: trajectory, must: [{tool_result: [{name: refund, value: {id: RF-$1}}]}]}
";
