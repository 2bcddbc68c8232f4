// A selection report: included items in order, excluded items with reasons, and the share of tokens.

const SHOWN_ITEMS = 40;

const tokensOf = (entry) => Number(entry.item.tokens) || 0;

/** The body of a panel with a selection report. */
function selection(report, marks, budget) {
  const { included, excluded } = report;
  return [
    el("div.budget", null, budget !== undefined && budgetBar(report, Number(budget)), consideredBar(report)),
    (report.count_requirement_shortfalls || []).map((shortfall) =>
      el(
        "p.shortfall",
        null,
        icon("warning"),
        `${shortfall.satisfied_count} of ${shortfall.required_count} required items of kind ${shortfall.kind}`,
      ),
    ),
    el("div.lanes", null, lane("Included", "included", included, marks), lane("Excluded", "excluded", excluded, marks)),
  ];
}

/** Included tokens as a share of the budget, which only an assertion names. */
function budgetBar({ included }, budget) {
  const taken = included.reduce((sum, entry) => sum + tokensOf(entry), 0);
  const isOver = taken > budget;
  const share = `${percent(taken / Math.max(budget, 1))}${isOver ? ", over" : ""}`;
  return [
    el(
      `div.bar.room${isOver ? ".over" : ""}`,
      { role: "img", "aria-label": `${grouped(taken)} of ${counted(budget, "budgeted token")}, ${share}` },
      el("span.in", { style: { "flex-grow": String(Math.min(taken, budget)) } }),
      el("span.free", { style: { "flex-grow": String(Math.max(budget - taken, 0)) } }),
    ),
    el(
      "div.legend",
      null,
      el("span", null, el("b", null, grouped(taken)), ` of ${counted(budget, "budgeted token")}`),
      el("b", null, share),
    ),
  ];
}

/** Included tokens as a share of those considered. */
function consideredBar({ included, excluded, total_tokens_considered: considered }) {
  const taken = included.reduce((sum, entry) => sum + tokensOf(entry), 0);
  const left = excluded.reduce((sum, entry) => sum + tokensOf(entry), 0);
  const whole = Math.max(Number(considered) || 0, taken, 1);
  const share = percent(taken / whole);
  const label = `${grouped(taken)} of ${counted(whole, "token")} included, ${share}`;
  const cell = (kind, entry) =>
    el(`span.${kind}`, {
      title: `${counted(tokensOf(entry), "token")} · ${cut(visible(String(entry.item.content ?? "")), 80)}`,
      style: { "flex-grow": String(tokensOf(entry)) },
    });
  const shown = included.length + excluded.length <= 200;
  const cells = shown
    ? [included.map((entry) => cell("in", entry)), excluded.map((entry) => cell("out", entry))]
    : [
        el("span.in", { style: { "flex-grow": String(taken) } }),
        el("span.out", { style: { "flex-grow": String(left) } }),
      ];
  return [
    el("div.bar", { role: "img", "aria-label": label }, cells),
    el(
      "div.legend",
      null,
      el("span", null, el("b", null, grouped(taken)), ` of ${counted(whole, "token")} included`),
      el("b", null, share),
    ),
  ];
}

function lane(title, name, entries, marks) {
  const isKept = (at) => at < 15 || marks.items.has(`${name}[${at}]`);
  const tokens = entries.reduce((sum, entry) => sum + tokensOf(entry), 0);
  const list = el("ol.items");
  gapped(list, entries.length, {
    whole: SHOWN_ITEMS,
    noun: "item",
    isKept,
    make: (at) => itemOf(entries[at], name, at, marks),
  });
  return el(
    `section.lane.${name}`,
    null,
    el("h4", null, title, el("span.count", null, `${counted(entries.length, "item")} · ${counted(tokens, "token")}`)),
    entries.length ? list : el("p.none", null, "none"),
  );
}

function itemOf(entry, name, at, marks) {
  const place = `${name}[${at}]`;
  const notes = marks.items.get(place) || [];
  const { item, score } = entry;
  const head = [
    el(
      "span.line",
      null,
      el("span.number", null, String(at)),
      el("b.name", null, cut(String(item.kind ?? "item"), 60)),
      item.source !== undefined &&
        el("span.agent", null, typeof item.source === "string" ? cut(item.source, 60) : compact(item.source, 60)),
      el("span.figures", null, `${counted(tokensOf(entry), "token")} · score ${Number(Number(score).toFixed(4))}`),
    ),
    el("span.excerpt", null, cut(String(item.content ?? "").replace(/\s+/g, " "), 160)),
    el("span.reason", null, reasonText(entry.reason)),
    notes.map(stepNote),
  ];
  const make = () => [
    el("div.part", null, el("h5", null, "Content"), longText(String(item.content ?? ""), "pre.plaintext")),
    el("div.part", null, el("h5", null, "Item"), tree(entry)),
  ];
  const line = el(`li.item${notes.length ? ".marked" : ""}`, null, fold("body", head, make, false));
  notes.forEach((mark) => marks.show(mark.index, place, line));
  return line;
}

/** `BudgetExceeded – item tokens 120, available tokens 4`. */
function reasonText(reason) {
  if (!isNested(reason)) return String(reason ?? "");
  const { reason: word, ...rest } = reason;
  const facts = Object.entries(rest).map(([name, value]) => `${name.replace(/_/g, " ")} ${compact(value, 80)}`);
  return [String(word ?? "Unknown"), facts.join(", ")].filter(Boolean).join(" – ");
}
