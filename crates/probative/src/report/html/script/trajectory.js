// A run as a timeline, with marks at the steps that explain a failure.

/** A longer run shows its ends, the marked steps and their neighbours. */
const SHOWN_STEPS = 60;
const AROUND = 2;

const STEP_WORDS = { tool_call: "tool call", llm_call: "model call", state_change: "state change" };

/** The body of a panel with a run. */
function trajectory(run, marks) {
  const steps = run.steps || [];
  const near = new Set(
    [...marks.steps.keys()].flatMap((index) => Array.from({ length: 2 * AROUND + 1 }, (_, at) => index - AROUND + at)),
  );
  const isKept = (at) => near.has(at) || at < 5 || at >= steps.length - 3;
  const list = el("ol.timeline", { "aria-label": "Steps" });
  gapped(list, steps.length, { whole: SHOWN_STEPS, noun: "step", isKept, make: (at) => stepOf(steps[at], at, marks) });
  return [
    totals(run, steps),
    said("input", run.input),
    steps.length ? list : el("p.none", null, "No steps recorded."),
    run.error !== undefined && el("div.outcome.bad", null, el("b", null, "The run failed"), " ", errorText(run.error)),
    said("final output", run.final_output),
    run.tools &&
      fold("tools", [counted(run.tools.length, "tool"), " available"], () =>
        el(
          "p.names",
          null,
          run.tools.map((name) => el("code", null, name)),
        ),
      ),
  ];
}

function totals(run, steps) {
  const calls = steps.filter((step) => step.step_type === "tool_call").length;
  const facts = [
    counted(steps.length, "step"),
    counted(calls, "tool call"),
    run.llm_calls !== undefined && counted(run.llm_calls, "model call"),
    run.total_tokens !== undefined && counted(run.total_tokens, "token"),
    run.total_cost !== undefined && costing(Number(run.total_cost)),
    run.duration_seconds !== undefined && lasting(run.duration_seconds * 1000),
    run.source && `read as ${run.source}`,
    run.unknown && `not recorded: ${run.unknown.join(", ")}`,
  ];
  return el(
    "ul.facts",
    null,
    facts.filter(Boolean).map((fact) => el("li", null, fact)),
  );
}

function said(label, value) {
  if (value === undefined || value === null) return null;
  const messages = isNested(value) && Object.keys(value).join() === "messages" ? value.messages : value;
  const text =
    typeof value === "string"
      ? longText(value, "div.prose")
      : isConversation(messages)
        ? conversation(messages)
        : tree(value);
  return el("div.said", null, el("h4", null, label), text);
}

function stepOf(step, index, marks) {
  const notes = marks.steps.get(index) || [];
  const depth = step.depth ?? (step.parent === undefined ? 0 : 1);
  const isFailed = step.tool_error !== undefined;
  const kind = `li.step.${step.step_type}${notes.length ? ".marked" : ""}${isFailed ? ".failed" : ""}`;
  const entry = el(
    kind,
    { style: { "--depth": String(Math.min(Number(depth), 8)) } },
    el("span.dot", null, icon(step.step_type)),
  );
  const head = [headOf(step, index, depth), notes.map(stepNote)];
  const parts = partsOf(step);
  entry.append(
    parts.length
      ? fold("body", head, () => parts.map(partOf), false)
      : el("div.body", null, el("div.plain", null, head)),
  );
  notes.forEach((mark) => marks.show(mark.index, `step ${index}`, entry));
  return entry;
}

const stepNote = ({ row, note }) =>
  el("span.note", null, icon("fail"), el("b", null, cut(note, 300)), el("span.by", null, cut(headlineOf(row), 120)));

function headOf(step, index, depth) {
  const { name, detail } = HEADS[step.step_type]?.(step) || { name: step.step_type, detail: "" };
  return [
    el(
      "span.line",
      null,
      el("span.number", null, String(index + 1)),
      spoken(STEP_WORDS[step.step_type] || ""),
      el("b.name", null, cut(String(name), 200)),
      step.parent !== undefined && el("span.agent", { title: `depth ${depth}` }, "by ", cut(step.parent, 80)),
      el("span.detail", null, detail),
      el("span.figures", null, figures(step)),
    ),
    outcomeOf(step),
  ];
}

const HEADS = {
  tool_call: (step) => ({
    name: step.tool_name,
    detail: step.tool_args === undefined ? "" : compactArguments(step.tool_args, 160),
  }),
  llm_call: (step) => ({ name: step.model ?? "model", detail: "" }),
  state_change: (step) => ({ name: step.key, detail: `${valueOr(step.old_value)} → ${valueOr(step.new_value)}` }),
};

const valueOr = (value) => (value === undefined ? "unset" : compact(value, 80));

function figures({ prompt_tokens: prompt, completion_tokens: completion, cost, timestamp }) {
  const tokens = prompt !== undefined || completion !== undefined;
  const facts = [
    tokens &&
      `${prompt === undefined ? "?" : grouped(prompt)} → ${completion === undefined ? "?" : grouped(completion)} tokens`,
    cost !== undefined && costing(Number(cost)),
    typeof timestamp === "string" && cut(timestamp, 40),
  ];
  return facts.filter(Boolean).join(" · ");
}

function outcomeOf(step) {
  if (step.step_type !== "tool_call") return null;
  if (step.tool_error !== undefined)
    return el("span.came.bad", null, icon("fail"), spoken("error: "), cut(errorText(step.tool_error), 240));
  if (step.tool_result !== undefined)
    return el("span.came", null, el("span.arrow", null, "→"), spoken("returned "), compact(heldIn(step.tool_result), 160));
  const isUnknown = (step.unknown || []).includes("result");
  return el("span.came.quiet", null, isUnknown ? "result not recorded" : "no result");
}

function errorText(error) {
  if (typeof error === "string") return error;
  if (!isNested(error)) return String(error);
  const name = [error.module, error.type].filter(Boolean).join(".");
  return [name, error.message].filter(Boolean).join(": ") || "error without a message";
}

/** Lists the parts of a step that unfold. */
function partsOf(step) {
  const parts = [
    ["arguments", step.tool_args],
    ["result", heldIn(step.tool_result)],
    ["error", step.tool_error],
    ["before", step.old_value],
    ["after", step.new_value],
    ["time", step.timestamp],
  ];
  return parts.filter(([, value]) => value !== undefined);
}

const partOf = ([label, value]) =>
  el(
    "div.part",
    null,
    el("h5", null, label),
    typeof value === "string" ? longText(value, "pre.plaintext") : tree(value),
  );
