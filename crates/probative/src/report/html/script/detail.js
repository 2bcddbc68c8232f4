// One case, with all that is known of it.

/** Puts a case on the page. */
function showDetail(pane, entry) {
  const record = recordOf(entry);
  const { result } = record;
  const marks = new Marks(result);
  put(
    pane,
    headerOf(entry, record),
    noticesOf(record),
    rerunOf(record.rerun),
    trialsSection(result.trials),
    assertionsSection(record, marks),
    panelsSection(entry, marks, record),
  );
  marks.settle(pane);
}

/** Says that no result has the id that the address names. */
function showUnknown(pane, id) {
  put(pane, backLink(), el("p.none", null, `No result is called ${cut(id, 200)} here.`));
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
      copier(() => location.href, "Copy the link to this result", "link"),
    ),
    el(
      "h2",
      { tabindex: "-1", id: "case-title" },
      el(`span.pill.${result.status}`, null, icon(result.status), STATUSES[result.status].word),
      result.flaky && el("span.pill.flaky", null, icon("flaky"), "flaky"),
      longText(entry.id, "span.id"),
    ),
    record.title && longText(record.title, "p.title"),
    el(
      "ul.facts",
      null,
      facts.filter(Boolean).map((fact) => el("li", null, cut(fact, 300))),
    ),
  );
}

/** Buttons to the results before and after, as they are listed. */
function neighbours() {
  const step = (by, drawing, label) =>
    el(
      "button.quiet",
      { type: "button", title: label, "aria-label": label, onclick: () => move(by, { open: true }) },
      icon(drawing),
    );
  return [step(-1, "back", "Previous result (k)"), step(1, "next", "Next result (j)")];
}

/** What is to be known beside the verdict: why there is none, warnings, what was not recorded, weak assertions. */
function noticesOf({ result, diagnostics = [], lost = [] }) {
  const isTold = result.assertions.some((row) => isBad(row) && row.message);
  const whole = diagnostics.filter((told) => told.row === null);
  const notice = (kind, drawing, ...parts) => el(`div.notice.${kind}`, null, icon(drawing), el("div", null, parts));
  return [
    result.message &&
      (!isTold || result.trials) &&
      !whole.length &&
      notice(result.status, result.status, longText(plain(result.message), "span")),
    whole.map((told) => notice("error", "error", el("pre.plaintext", null, told.text))),
    (result.warnings || []).map((warning) => notice("warned", "warning", longText(plain(warning), "span"))),
    (result.health || []).map(({ code, path, message }) =>
      notice("warned", "warning", el("b", null, code), ` ${message} `, el("span.path", null, path)),
    ),
    lost.length > 0 && notice("lost", "skip", `The trace does not tell ${lost.join(", ")}.`),
  ];
}

function rerunOf(command) {
  if (!command) return null;
  return el(
    "div.rerun",
    null,
    el("code", { tabindex: "0", "aria-label": "Command that runs it again" }, command),
    copier(() => command, "Copy the command"),
  );
}
