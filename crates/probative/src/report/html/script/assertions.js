// What was asked of a case and how it was answered: failures in full, passes in a line.

/** The section about assertions: what did not hold first. */
function assertionsSection(record, marks) {
  const rows = record.result.assertions.map((row, index) => ({ row, index }));
  if (!rows.length) return null;
  const bad = rows.filter(({ row }) => isBad(row));
  const idle = rows.filter(({ row }) => row.status === "unexercised");
  const passed = rows.filter(({ row }) => row.status === "pass");
  const shown = (record.result.trials?.outcomes || []).findIndex(({ status }) => status !== "pass");
  const where = shown >= 0 ? `, in trial ${shown + 1}, the first that did not pass` : "";
  const listPassed = () => listOf("ul.held", passed, ({ row }) => quietRow(row, "pass", "passed"));
  return el(
    "section.assertions",
    { "aria-label": "Assertions" },
    el(
      "h3",
      null,
      bad.length
        ? `${bad.length} of ${counted(rows.length, "assertion")} did not hold${where}`
        : headOfHeld(rows.length),
    ),
    listOf("ul.failures", bad, ({ row, index }) => failure(row, index, record, marks)),
    idle.map(({ row }) => quietRow(row, "warning", "never exercised")),
    !bad.length && passed.length <= SHOWN_PASSED
      ? listPassed()
      : passed.length > 0 && fold("passes", [icon("pass"), `${passed.length} passed`], listPassed, false),
  );
}

/** So many rows are shown at once. */
const SHOWN_ROWS = 100;

function listOf(kind, rows, make) {
  const isKept = (at) => at < SHOWN_ROWS;
  return (
    rows.length > 0 &&
    gapped(el(kind), rows.length, {
      whole: SHOWN_ROWS,
      noun: "assertion",
      isKept,
      make: (at) => el("li", null, make(rows[at])),
    })
  );
}

/** So many that passed are listed at once, where nothing else is to be told. */
const SHOWN_PASSED = 20;

const headOfHeld = (count) => (count === 1 ? "1 assertion, which holds" : `${counted(count, "assertion")}, all hold`);

const quietRow = (row, drawing, word) =>
  el(
    `div.row.${drawing}`,
    null,
    icon(drawing),
    spoken(word),
    el("b.name", null, cut(row.name, 300)),
    el("span.path", null, cut(row.path, 300)),
    row.message && el("span.why", null, row.message),
  );

function failure(row, index, record, marks) {
  const diagnostic = (record.diagnostics || []).find((told) => told.row === index);
  return el(
    `article.failure.${row.status}`,
    null,
    el(
      "h4",
      null,
      badge(row.status),
      spoken(`${STATUSES[row.status].word}: `),
      el("span.name", null, cut(row.name, 300)),
      el("span.path", null, cut((record.written || [])[index] || row.path, 300)),
    ),
    row.message && el("p.message", null, longText(plain(row.message), "span")),
    compared(row),
    diffOf(row.diff),
    diagnostic && el("pre.plaintext", null, diagnostic.text),
    pointers(row, index, marks),
  );
}

/** What was expected beside what was found. */
function compared({ expected, actual }) {
  if (!expected && !actual) return null;
  const side = (kind, label, text) =>
    text && el(`div.side.${kind}`, null, el("h5", null, label), longText(text, "pre"));
  return el("div.compared", null, side("wanted", "Expected", expected), side("found", "Found", actual));
}

/** A unified diff, line by line. */
function diffOf(diff) {
  if (typeof diff !== "string" || !diff) return null;
  const kinds = { "+": "plus", "-": "minus", "@": "hunk" };
  const lines = diff.split("\n");
  const shown = lines.slice(0, 400);
  return el(
    "pre.diff",
    null,
    shown.map((line) => el(`span.${kinds[line[0]] || "same"}`, null, `${line}\n`)),
    lines.length > shown.length && el("span.hunk", null, `… ${counted(lines.length - shown.length, "more line")}`),
  );
}

/** Buttons that lead to the places that explain a failure. */
function pointers(row, index, marks) {
  const steps = (row.steps || []).map((step) =>
    marks.jump(index, `step ${step.index}`, el("b", null, `step ${step.index + 1}`), cut(step.note, 300)),
  );
  const items = (row.items || []).map((item) =>
    marks.jump(index, item.place, el("b", null, item.place), cut(item.note, 300)),
  );
  const place =
    row.place && !steps.length && !items.length
      ? [marks.jump(index, row.place, el("b", null, cut(row.place, 200)))]
      : [];
  const all = [...steps, ...items, ...place];
  if (!all.length) return null;
  const rest = all.splice(8);
  return el(
    "div.pointers",
    null,
    all,
    rest.length > 0 && fold("rest", counted(rest.length, "more place"), () => rest, false),
  );
}
