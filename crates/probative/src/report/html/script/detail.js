// The page of one case.

/** Shows a case. */
function showDetail(pane, entry) {
  const record = recordOf(entry);
  const { result } = record;
  const marks = new Marks(result);
  const evidence = evidenceOf(entry);
  put(
    pane,
    headerOf(entry, record),
    proseSection(evidence.prose),
    noticesOf(record),
    rerunOf(record.rerun),
    trialsSection(result.trials),
    assertionsSection(record, marks),
    inputSection(evidence.inputs),
    panelsSection(evidence, marks, record),
  );
  marks.settle(pane);
}

/** Reports that no result has the id in the address. */
function showUnknown(pane, id) {
  put(pane, backLink(), el("p.none", null, `No result with the id ${cut(id, 200)}.`));
}

const backLink = () => leading("a.back", { case: "", view: "" }, icon("back"), "All results");

function headerOf(entry, record) {
  const { result } = record;
  const facts = [
    result.type,
    record.suite || result.suite,
    result.priority && `priority ${result.priority}`,
    entry.id !== entry.place && entry.place,
    result.duration_ms !== undefined && lasting(result.duration_ms),
    result.cost !== undefined && costing(result.cost),
    result.category && result.status === "error" && `${result.category} error`,
  ];
  return el(
    "header.case",
    null,
    el(
      "nav",
      { "aria-label": "Result" },
      backLink(),
      neighbours(),
      el("span.gap"),
      copier(() => location.href, "Copy a link to this result", "link"),
    ),
    el(
      "h2",
      { tabindex: "-1", id: "case-title" },
      el(`span.pill.${result.status}`, null, icon(result.status), STATUSES[result.status].word),
      result.flaky && el("span.pill.flaky", null, icon("flaky"), "flaky"),
      longText(entry.id, "span.id"),
    ),
    entry.title && longText(entry.title, "p.title"),
    el(
      "ul.facts",
      null,
      facts.filter(Boolean).map((fact) => el("li", null, cut(fact, 300))),
    ),
  );
}

/** Makes buttons to the previous and the next result in the list. */
function neighbours() {
  const step = (by, drawing, label) =>
    el(
      "button.quiet",
      { type: "button", title: label, "aria-label": label, onclick: () => move(by, { open: true }) },
      icon(drawing),
    );
  return [step(-1, "back", "Previous result (k)"), step(1, "next", "Next result (j)")];
}

/** Shows what else matters: the error of a case that wasn't judged, warnings, what the trace lacks, weak assertions. */
function noticesOf({ result, diagnostics = [], lost = [], crashes = [] }) {
  const isShown = result.assertions.some((row) => isBad(row) && row.message);
  const whole = diagnostics.filter((error) => error.row === null);
  const crash = crashes.find((crash) => crash.row === null);
  const notice = (kind, drawing, ...parts) => el(`div.notice.${kind}`, null, icon(drawing), el("div", null, parts));
  return [
    crash && crashCard(crash, el("h4", null, badge("error"), "The agent crashed")),
    result.message &&
      (!isShown || result.trials) &&
      !whole.length &&
      !crash &&
      notice(result.status, result.status, longText(result.message, "span")),
    !crash && whole.map((error) => notice("error", "error", el("pre.plaintext", null, error.text))),
    (result.warnings || []).map((warning) => notice("warned", "warning", longText(warning, "span"))),
    (result.health || []).map(({ code, path, message }) =>
      notice("warned", "warning", el("b", null, code), ` ${message} `, el("span.path", null, path)),
    ),
    lost.length > 0 && notice("lost", "skip", `Not recorded: ${lost.join(", ")}.`),
  ];
}

function rerunOf(command) {
  if (!command) return null;
  return el(
    "div.rerun",
    null,
    el("span.label", null, "rerun:"),
    commandOf("code", command),
    copier(() => command, "Copy the rerun command"),
  );
}

/** Shows a command so that lines break between words, not at the hyphens of a flag. */
const commandOf = (kind, command) =>
  el(
    kind,
    null,
    command.split(" ").map((word, at) => [at > 0 && " ", el("span.word", null, word)]),
  );
