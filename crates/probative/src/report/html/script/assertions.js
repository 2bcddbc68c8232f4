// The assertions of a case: failures in full, passes on one line each.

/** The section about assertions: failures first. */
function assertionsSection(record, marks) {
  const rows = record.result.assertions.map((row, index) => ({ row, index }));
  if (!rows.length) return null;
  const bad = rows.filter(({ row }) => isBad(row) && !isUnjudged(row));
  const idle = rows.filter(({ row }) => row.status === "unexercised");
  const passed = rows.filter(({ row }) => row.status === "pass");
  const listPassed = () => listOf("ul.held", passed, ({ row }) => quietRow(row, "pass", "passed"));
  return el(
    "section.assertions",
    { "aria-label": "Assertions" },
    el("h3", null, headOfAssertions(record, rows)),
    listOf("ul.failures", bad, ({ row, index }) => failure(row, index, record, marks)),
    idle.map(({ row }) => quietRow(row, "warning", "never exercised", true)),
    bad.length === 0 && passed.length <= SHOWN_PASSED
      ? listPassed()
      : passed.length > 0 && fold("passes", [icon("pass"), `${passed.length} passed`], listPassed, false),
  );
}

/** `Trial 3: 2 of 5 assertions failed, 1 not judged`. */
function headOfAssertions({ result: { trials }, crashes = [] }, rows) {
  const count = (status) => rows.filter(({ row }) => row.status === status).length;
  const failed = count("fail");
  // A crash has a card of its own.
  const errors = count("error") - crashes.length;
  const total = counted(rows.length, "assertion");
  const parts = [
    failed > 0 && `${grouped(failed)} of ${total} failed`,
    errors > 0 && (failed > 0 ? `${grouped(errors)} not judged` : `${grouped(errors)} of ${total} not judged`),
  ].filter(Boolean);
  const passed = crashes.length ? "The agent crashed" : `${total} passed`;
  return `${trialHead(trials)}${parts.join(", ") || passed}`;
}

/** How many rows are shown without a click. */
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

/** Up to this many passes are listed where nothing failed. */
const SHOWN_PASSED = 20;

function messageOf(row) {
  const message = row.summary || row.message;
  return message && el("p.message", null, longText(message, "span"));
}

const quietRow = (row, drawing, word, isLabelled = false) =>
  el(
    `div.row.${drawing}`,
    null,
    icon(drawing),
    isLabelled ? el("span.tag.warned", null, word) : spoken(word),
    el("b.name", null, cut(headlineOf(row), 300)),
    el("span.path", null, cut(row.path, 300)),
    row.message && el("span.why", null, row.message),
  );

function failure(row, index, record, marks) {
  const diagnostic = (record.diagnostics || []).find((error) => error.row === index);
  const crash = (record.crashes || []).find((crash) => crash.row === index);
  const place = el("span.path", null, cut((record.written || [])[index] || row.path, 300));
  const unjudged = unjudgedOf(record, index);
  if (crash) return crashCard(crash, el("h4", null, badge("error"), "The agent crashed", place), foldOf(unjudged, record));
  if (unjudged.length) return sharedError(row, foldOf([{ row, index }, ...unjudged], record));
  return el(
    `article.failure.${row.status}`,
    null,
    el(
      "h4",
      null,
      badge(row.status),
      spoken(`${STATUSES[row.status].word}: `),
      el("span.name", null, cut(headlineOf(row), 300)),
      place,
    ),
    messageOf(row),
    (row.details || []).length > 0 ? el("ul.details", null, row.details.map((detail) => el("li", null, detail))) : compared(row),
    diffOf(row.diff),
    diagnostic && el("pre.plaintext", null, diagnostic.text),
    pointers(row, index, marks),
  );
}

/** An error that kept several assertions from being judged. */
const sharedError = (row, unjudged) =>
  el(
    "article.failure.error",
    null,
    el("h4", null, badge("error"), spoken("error: "), longText(row.summary || row.message, "span.cause")),
    unjudged,
  );

/** A crash: the end of stderr first, then how the command ended, then what wasn't judged. */
function crashCard(crash, head, unjudged = null) {
  const { command, exit_code: code, signal, stderr } = crash;
  return el(
    "article.failure.error.crash",
    null,
    head,
    stderr.length > 0
      ? el("pre.plaintext", { tabindex: "0", "aria-label": "End of stderr" }, stderr.join("\n"))
      : el("p.none", null, "stderr is empty."),
    el(
      "p.ending",
      null,
      el("code", null, cut(command, 300)),
      signal ? ` was killed by ${signal}` : ` exited with code ${code}`,
    ),
    unjudged,
  );
}

/** Returns the assertions that weren't judged because of the error of another one. */
const unjudgedOf = ({ result }, cause) =>
  result.assertions.map((row, index) => ({ row, index })).filter(({ row }) => row.because_of === cause);

/** `11 assertions not judged`, with their names on a click. */
function foldOf(unjudged, { written = [] }) {
  if (!unjudged.length) return null;
  const list = () =>
    listOf("ul.held", unjudged, ({ row, index }) =>
      el(
        "div.row",
        null,
        icon("skip"),
        el("b.name", null, cut(headlineOf(row), 300)),
        el("span.path", null, cut(written[index] || row.path, 300)),
      ),
    );
  return fold("unjudged", `${counted(unjudged.length, "assertion")} not judged`, list, false);
}

/** What was expected beside what was found. */
function compared({ expected, actual }) {
  if (!expected && !actual) return null;
  const side = (kind, label, text) =>
    text && el(`div.side.${kind}`, null, el("h5", null, label), longText(text, "pre"));
  return el("div.compared", null, side("wanted", "expected", expected), side("found", "found", actual));
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

/** Buttons to the places that explain a failure, in the order of the run or report. */
function pointers(row, index, marks) {
  const inOrder = (parts, orderOf) => [...parts].sort((a, b) => orderOf(a) - orderOf(b));
  const steps = inOrder(row.steps || [], (step) => step.index).map((step) =>
    marks.jump(index, `step ${step.index}`, el("b", null, `step ${step.index + 1}`), cut(step.note, 300)),
  );
  const items = inOrder(row.items || [], orderOfItem).map((item) =>
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
    el("span.label", null, "at"),
    all,
    rest.length > 0 && fold("rest", counted(rest.length, "more place"), () => rest, false),
  );
}

/** Sorts `included[3]` before `excluded[0]`. */
function orderOfItem({ place }) {
  const at = Number((/\[(\d+)\]/.exec(place) || [])[1] || 0);
  return place.startsWith("included") ? at : 1e9 + at;
}
