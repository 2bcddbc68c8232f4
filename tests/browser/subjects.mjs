// What the tests look at: reports that the program itself makes of subjects like those that people have, and worse.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export const HOSTILE = {
  // With a space behind its name, a tag needs no other end.
  ends: "</script ><script >window.hacked = 1</script ><!--",
  image: '<img src="x" onerror="window.hacked = 1">',
  script: "javascript:window.hacked=1",
  bidi: "abc\u202edef\u2066",
  nul: "nul\u0000escape\u001b[31m",
  long: "x".repeat(1 << 18),
};

/** A directory with files in it, in which the program is run. */
export class Place {
  static #paths = [];

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "probative-browser-"));
    Place.#paths.push(this.path);
  }

  /** Removes all that were made. */
  static removeAll() {
    Place.#paths.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true }));
  }

  write(name, content) {
    writeFileSync(join(this.path, name), typeof content === "string" ? content : JSON.stringify(content));
  }

  /** The address of the page that a run of the program makes. */
  report(name, ...words) {
    const binary = process.env.PROBATIVE;
    if (!binary) throw new Error("PROBATIVE must name the program under test");
    try {
      execFileSync(binary, [...words, "--report", `html=${name}`], { cwd: this.path, stdio: "pipe" });
    } catch (error) {
      // That cases fail is what they are for; that the program cannot be run is not.
      if (![1, 2].includes(error.status)) throw error;
    }
    return pathToFileURL(join(this.path, name)).href;
  }
}

const call = (name, args, more) => ({ step_type: "tool_call", tool_name: name, tool_args: args, ...more });
const think = (tokens) => ({
  step_type: "llm_call",
  model: "small-1",
  prompt_tokens: tokens,
  completion_tokens: 20,
  cost: 0.001,
});

const REFUND = {
  input: "The clock is broken.",
  tools: ["lookup_order", "check_policy", "refund"],
  steps: [
    think(305),
    call("lookup_order", { order: 4713 }, { tool_result: { item: "clock", price: 185 } }),
    call("refund", { order: 4713, amount: 185 }, { tool_error: { type: "LimitError", message: "above the limit" } }),
    call(
      "check_policy",
      { item: "clock", nested: { reason: ["broken", HOSTILE.image] } },
      { tool_result: { refundable: false }, parent: "clerk", depth: 2 },
    ),
    call("check_policy", { item: "clock" }, { tool_result: { refundable: false } }),
  ],
  final_output: "Your refund is on its way.",
};

function longRun() {
  const steps = Array.from({ length: 2400 }, (_, at) =>
    at % 3 ? call("search", { query: `part ${at}` }, { tool_result: { hits: at } }) : think(at),
  );
  steps[1210] = call("delete_account", { id: 991 });
  return { steps, final_output: "Done." };
}

const RESPONSE = {
  status: "success",
  message: "found",
  results: [{ file: "journal/a.md" }, { file: "journal/b.md" }, { file: "work/doc.md", id: "ROUND" }],
  "odd.name": { "it's": 1 },
  pagination: { total: 3 },
};

const item = (content, tokens, kind, score, reason) => ({ item: { content, tokens, kind }, score, reason });
const SELECTION = {
  events: [],
  included: [
    item("A guide to tea.", 170, "Document", 0.6, { reason: "Scored" }),
    item("You answer for the shop.", 30, "SystemPrompt", 0, { reason: "Pinned" }),
  ],
  excluded: [
    item("Refund policy: 30 days.", 200, "Document", 0.5, {
      reason: "BudgetExceeded",
      item_tokens: 200,
      available_tokens: 4,
    }),
  ],
  total_candidates: 3,
  total_tokens_considered: 400,
  count_requirement_shortfalls: [],
};

const fence = (lines) => `\`\`\`yaml spec-test\n${lines.trim()}\n\`\`\`\n\n`;

const SPEC = [
  `
id: RUN-1
type: agent.trajectory
title: asks before it refunds
file: refund.json
assert:
  - must:
      - tool_called_before: [{first: check_policy, second: refund}]
      - tool_was_called: [lookup_order]`,
  `
id: RUN-2
type: agent.trajectory
title: two thousand steps, one of them wrong
file: long.json
assert:
  - must:
      - tool_not_called: [delete_account]`,
  `
id: SAID-1
type: agent.response
title: only the journal
file: response.json
assert:
  - must:
      - all_match_pattern: [{path: "results[*].file", regex: "^journal/"}]
      - has_fields: [[pagination.next]]
      - field_equals: [{"['odd.name']['it\\\\'s']": 2}]`,
  `
id: SAW-1
type: context.selection
title: the policy is before its eyes
file: selection.json
assert:
  - must:
      - include_item_matching: [[contains, [get, [get, [subject], item], content], "Refund policy"]]`,
  `
id: TRIED-1
type: agent.response
title: every third answer is wrong
harness: {entrypoint: "sh -c 'n=$(cat count); echo $((n + 1)) > count; if [ $((n % 3)) = 0 ]; then echo not now; else echo yes; fi'", cwd: root}
input: hello
trials: {n: 6, pass: all}
assert:
  - must:
      - contains: ["yes"]`,
  `
id: CLI-1
type: cli.run
title: 'prints ${HOSTILE.image.replaceAll("'", "")}'
harness: {entrypoint: "printf 'one\\\\n\\\\033[31mtwo\\\\n'"}
assert:
  - target: stdout
    must:
      - contain: [three]`,
  `
id: 'javascript:window.hacked=1'
type: cli.run
title: an id that would be an address
harness: {entrypoint: "true"}
assert:
  - target: stdout
    must:
      - contain: [anything]`,
  `
id: BROKEN-1
type: cli.run
asert: []`,
  `
id: FINE-1
type: cli.run
title: passes
harness: {entrypoint: "echo yes"}
assert:
  - target: stdout
    must:
      - contain: ["yes"]`,
]
  .map(fence)
  .join("");

/** A run of spec documents: one case of every kind. */
export function everyKind(place) {
  place.write("probative.toml", "");
  place.write("count", "1");
  place.write("refund.json", REFUND);
  place.write("long.json", longRun());
  // A number that JavaScript would round.
  place.write("response.json", JSON.stringify(RESPONSE).replace('"ROUND"', "12345678901234567890"));
  place.write("selection.json", SELECTION);
  place.write("all.spec.md", SPEC);
  place.write(
    "other.spec.md",
    fence(
      "id: FINE-2\ntype: cli.run\nharness: {entrypoint: 'echo yes'}\nassert:\n  - target: stdout\n    must:\n      - contain: ['yes']",
    ),
  );
  return place.report("every.html", "run", ".", "-j", "1");
}

/** Responses that hold everything that a page must not obey. */
export function hostile(place) {
  place.write(
    "hostile.yaml",
    `field_equals: ${JSON.stringify(Object.fromEntries(Object.keys(HOSTILE).map((name) => [name, `${HOSTILE.ends}${HOSTILE.image}`])))}\n`,
  );
  const name = '<img src=x onerror="window.hacked=1">.json';
  place.write(name, { ...HOSTILE, [HOSTILE.image]: HOSTILE.ends, constructor: "x", ["__proto__"]: "y" });
  place.write("large.json", { long: "y".repeat(1 << 20) });
  return place.report("hostile.html", "check", "hostile.yaml", name, "large.json");
}

/** What nobody sees, or what turns the rest around. */
export const HIDDEN = [..."\u00ad\u0085\u061c\u180e\u200b\u200f\u2028\u2029\u202e\u2060\u2066\ufeff", "\u{e0041}"];

/** Responses and a run that are nested as deep as can be, and a response with what nobody sees in every name and text. */
export function deepAndHidden(place) {
  const nested = (deep) => `${'{"a":['.repeat(deep)}"bottom"${"]}".repeat(deep)}`;
  const text = HIDDEN.join("-");
  const name = `h${HIDDEN.join("")}.json`;
  place.write("deep.yaml", "status: success\n");
  place.write("deep.json", `{"status": "error", "x": ${nested(62)}}`);
  place.write(name, { status: text, [text]: { [text]: [text] } });
  place.write("run.yaml", "tool_not_called: dig\n");
  place.write("run.json", `{"steps": [{"step_type": "tool_call", "tool_name": "dig", "tool_args": ${nested(61)}}]}`);
  return {
    responses: place.report("deep.html", "check", "deep.yaml", "deep.json", name),
    run: place.report("deep-run.html", "check", "run.yaml", "run.json"),
  };
}

/** Ten thousand subjects, of which every twentieth fails. */
export function tenThousand(place) {
  place.write("many.yaml", "status: success\nmessage_contains: refund\nhas_fields: [results]\n");
  const line = (at) =>
    JSON.stringify({ status: at % 20 ? "success" : "error", message: `refund ${at}`, results: [at, "a".repeat(200)] });
  place.write("many.jsonl", `${Array.from({ length: 10000 }, (_, at) => line(at)).join("\n")}\n`);
  return place.report("many.html", "check", "many.yaml", "many.jsonl");
}

/** Responses in files of such names below a directory, named by their whole paths. */
export function places(place, names) {
  place.write("q.yaml", "status: success\n");
  const paths = names.map((name) => join(place.path, name));
  paths.forEach((path) => mkdirSync(dirname(path), { recursive: true }));
  paths.forEach((path) => writeFileSync(path, '{"status": "success"}'));
  return place.report("places.html", "check", "q.yaml", ...paths);
}

/** A response that passes and is too large to be kept. */
export function roomless(place) {
  place.write("q.yaml", "status: success\n");
  place.write("large.json", { status: "success", message: "z".repeat(1 << 17) });
  return place.report("roomless.html", "check", "q.yaml", "large.json");
}

/** A response with a plan that is not the one that was asked for. */
export function differing(place) {
  place.write("plan.yaml", "field_equals: {plan: {steps: [read, weigh, answer], limit: 10}}\n");
  place.write("plan.json", { plan: { steps: ["read", "answer"], limit: 10 } });
  return place.report("plan.html", "check", "plan.yaml", "plan.json");
}

/** A run that is written over many lines. */
export function spreadOut(place) {
  place.write("one.yaml", "tool_not_called: refund\n");
  place.write("run.json", JSON.stringify(REFUND, null, 4));
  return place.report("spread.html", "check", "one.yaml", "run.json");
}

/** A run whose failure points at a later step first. */
export function backwards(place) {
  place.write("never.yaml", "cannot: [{tool_was_called: [refund]}, {tool_was_called: [lookup_order]}]\n");
  place.write("run.json", REFUND);
  return place.report("backwards.html", "check", "never.yaml", "run.json");
}

/** A selection that is held to a budget. */
export function budgeted(place) {
  place.write("room.yaml", "have_budget_utilization_below: {threshold: 0.5, budget: 250}\n");
  place.write("selection.json", SELECTION);
  return place.report("room.html", "check", "room.yaml", "selection.json");
}

/** A conversation whose second turn fails. */
export function conversation(place) {
  const turn = (step, status) => ({ step, input: step, expect: { status } });
  const tests = [{ id: "TALK", name: "two turns", multi_step: [turn(1, "success"), turn(2, "error")] }];
  place.write("talk.tests.json", {
    agent: "talker",
    version: "1.0",
    description: "talks",
    test_suites: { talks: { name: "Talks", tests } },
  });
  place.write("probative.toml", `[agents.talker]\ncommand = "echo '{\\"status\\": \\"success\\"}'"\n`);
  return place.report("talk.html", "run", "talk.tests.json");
}

/** An agent that puts out the messages of a chat. */
export function chatted(place) {
  const call = { id: "c1", type: "function", function: { name: "lookup_order", arguments: '{"order": 4713}' } };
  const messages = [
    { role: "user", content: "Where is <b>4713</b>?" },
    { role: "assistant", content: "Let me look.", tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "on its way" },
    { role: "assistant", content: "It is on its way." },
  ];
  place.write("probative.toml", "");
  place.write("chat.json", { response: "It is on its way.", trajectory: { messages } });
  place.write(
    "chat.spec.md",
    fence(
      'id: CHAT-1\ntype: agent.run\nharness: {entrypoint: "cat chat.json", cwd: root}\nassert:\n  - target: trajectory\n    must:\n      - tool_was_called: [refund]',
    ),
  );
  return place.report("chat.html", "run", "chat.spec.md");
}

/** An agent that crashes. */
export function crashed(place) {
  place.write("probative.toml", "");
  const lines = ["Traceback (most recent call last):", '  File "agent.py", line 6, in price', "KeyError: 'items'"];
  place.write("crash.sh", `cat >&2 <<'END'\n${lines.join("\n")}\nEND\nexit 1\n`);
  place.write(
    "crash.spec.md",
    fence(
      'id: CRASH-1\ntype: agent.response\nharness: {entrypoint: "sh crash.sh", cwd: root}\nassert:\n  - must:\n      - status: [ok]\n      - has_fields: [[price]]\n      - contains: ["185"]',
    ),
  );
  return place.report("crashed.html", "run", "crash.spec.md");
}

/** Cases with prose before them, some of it hostile. */
export function described(place) {
  const say = (id, input) =>
    fence(
      `id: ${id}\ntype: agent.response\nharness: {entrypoint: "echo no"}\ninput: ${input}\nassert:\n  - must:\n      - contains: ["yes"]`,
    );
  place.write("probative.toml", "");
  place.write(
    "told.spec.md",
    [
      "# The shop\n\nNot about this case.\n\n## Refunds above a limit\n\nThe agent asks **a human** before it refunds.",
      "See [the policy](javascript:window.hacked=1).\n\nIt says &lt;b&gt;why&lt;/b&gt;.\n\n- never twice\n",
      '<script>window.hacked = 1</script>\n\n<img src="x" onerror="window.hacked = 1">\n',
      say("TOLD-1", "{order: 4713, message: It is broken.}"),
      say("TOLD-2", '"Are you open?"'),
    ].join("\n"),
  );
  return place.report("told.html", "run", "told.spec.md");
}

/** What has changed since an earlier run, and what was never exercised. */
export function changed(place) {
  const spec = (word) =>
    fence(
      `id: CHANGES\ntype: cli.run\nharness: {entrypoint: 'echo ${word}'}\nassert:\n  - target: stdout\n    must:\n      - contain: [good]`,
    );
  const quiet = fence(
    "id: QUIET\ntype: agent.response\ntitle: says nothing\nfile: none.json\nassert:\n  - must:\n      - all_match: [{path: 'results[*].type', value: note}]",
  );
  place.write("probative.toml", "");
  place.write("none.json", { results: [] });
  place.write("a.spec.md", spec("good") + quiet);
  place.report("before.html", "run", "a.spec.md", "--save-baseline", "baseline.json");
  place.write("a.spec.md", spec("bad") + quiet);
  return place.report("changed.html", "run", "a.spec.md", "--baseline", "baseline.json");
}
