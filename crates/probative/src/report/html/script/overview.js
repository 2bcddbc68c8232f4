// All results together: how they ended, what fails most, what changed, what was never exercised.

/** Shows the overview. */
function showOverview(pane) {
  put(
    pane,
    el("nav.narrow", null, backLink()),
    el("h2", { tabindex: "-1", id: "case-title" }, headline()),
    totalsOf(),
    el(
      "div.cards",
      null,
      groupsSection(
        "Failing assertions",
        ENTRIES.flatMap((entry) => entry.failing.map((name) => [name, entry])),
        (name) => ({ fails: name }),
      ),
      errorsSection(),
      comparisonSection(SUMMARY.baseline),
      unexercisedSection(SUMMARY.unexercised),
      filesSection(),
      slowestSection(),
    ),
    keysSection(),
  );
}

/** `3 of 128 cases did not pass`. */
function headline() {
  const bad = SUMMARY.failed + SUMMARY.errors;
  if (!SUMMARY.total) return "Nothing was judged";
  if (!bad)
    return `${counted(SUMMARY.passed, NOUN)} passed${SUMMARY.skipped ? `, ${grouped(SUMMARY.skipped)} skipped` : ""}`;
  return `${grouped(bad)} of ${counted(SUMMARY.total, NOUN)} did not pass`;
}

function totalsOf() {
  const costs = ENTRIES.filter((entry) => entry.cost !== undefined);
  const total = costs.reduce((sum, entry) => sum + entry.cost, 0);
  const facts = [
    SUMMARY.failed > 0 && `${grouped(SUMMARY.failed)} failed`,
    SUMMARY.errors > 0 && counted(SUMMARY.errors, "error"),
    SUMMARY.skipped > 0 && `${grouped(SUMMARY.skipped)} skipped`,
    SUMMARY.passed > 0 && `${grouped(SUMMARY.passed)} passed`,
    SUMMARY.duration_ms !== undefined && lasting(SUMMARY.duration_ms),
    costs.length > 0 &&
      `${costing(total)}${costs.length < ENTRIES.length ? ` (${counted(costs.length, NOUN)} with a cost)` : ""}`,
    SUMMARY.interrupted && "interrupted; results are incomplete",
  ];
  return el(
    "ul.facts",
    null,
    facts.filter(Boolean).map((fact) => el("li", null, fact)),
  );
}

const card = (title, ...parts) => el("section.card", null, el("h3", null, title), parts);

const SHOWN_GROUPS = 12;

function groupsSection(title, pairs, changes) {
  const groups = new Map();
  pairs.forEach(([name, entry]) => push(groups, name, entry));
  if (!groups.size) return null;
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const most = sorted[0][1].length;
  const line = ([name, entries]) =>
    el(
      "li",
      null,
      el(
        "a",
        { href: address(changes(name), {}), title: cut(visible(name), 300) },
        el("span.label", null, cut(name, 120)),
        el("span.meter", null, el("span.fill", { style: { width: `${(100 * entries.length) / most}%` } })),
        el("b", null, grouped(entries.length)),
      ),
    );
  return card(
    title,
    el("ul.groups", null, sorted.slice(0, SHOWN_GROUPS).map(line)),
    andMore(sorted.length - SHOWN_GROUPS),
  );
}

/** Why cases weren't judged, one line per cause. */
function errorsSection() {
  const causes = new Map();
  ENTRIES.forEach((entry) => entry.cause && push(causes, entry.cause, entry));
  if (!causes.size) return null;
  const sorted = [...causes].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const line = ([cause, entries]) =>
    el(
      "li",
      null,
      el("a.cause", { href: address({ cause }, {}) }, cause),
      el("span.fact", null, counted(entries.length, NOUN)),
    );
  return card(
    "Errors",
    el("ul.lines", null, sorted.slice(0, SHOWN_GROUPS).map(line)),
    andMore(sorted.length - SHOWN_GROUPS),
  );
}

const andMore = (count) => count > 0 && el("p.none", null, `… and ${grouped(count)} more`);

function filesSection() {
  const files = new Map();
  ENTRIES.forEach((entry) => push(files, entry.file, entry));
  if (files.size < 2) return null;
  const passing = (entries) => entries.filter((entry) => entry.status === "pass").length;
  const bad = (entries) => entries.filter((entry) => entry.status === "fail" || entry.status === "error").length;
  const sorted = [...files]
    .map(([file, entries]) => ({ file, entries, bad: bad(entries) }))
    .sort((a, b) => b.bad - a.bad || (a.file < b.file ? -1 : 1));
  const line = ({ file, entries }) =>
    el(
      "li",
      null,
      el(
        "a",
        { href: address({ file }, {}) },
        pathIn("span.label", file),
        shareBar(entries),
        el("b", null, `${grouped(passing(entries))}/${grouped(entries.length)}`, spoken(" passed")),
      ),
    );
  return card(
    "Passed by file",
    el("ul.groups", null, sorted.slice(0, SHOWN_GROUPS).map(line)),
    andMore(sorted.length - SHOWN_GROUPS),
  );
}

/** Makes the parts of a bar from statuses and their counts. */
const parts = (shares) =>
  shares
    .filter(([, count]) => count)
    .map(([status, count]) => el(`span.${status}`, { style: { "flex-grow": String(count) } }));

/** A bar of how entries ended. */
function shareBar(entries) {
  const shares = Object.keys(STATUSES).map((status) => [
    status,
    entries.filter((entry) => entry.status === status).length,
  ]);
  return el("span.share", null, parts(shares));
}

function slowestSection() {
  const timed = ENTRIES.filter((entry) => entry.duration !== undefined && entry.duration >= 1);
  if (timed.length < 2) return null;
  const sorted = timed.sort((a, b) => b.duration - a.duration).slice(0, 5);
  return card(
    "Slowest",
    el(
      "ul.lines",
      null,
      sorted.map((entry) => caseLine(entry.id, lasting(entry.duration))),
    ),
  );
}

/** A case with its title and some facts, linked if the page has it. */
function caseLine(id, ...facts) {
  return el("li", null, caseName(id), el("span.fact", null, facts));
}

function caseName(id) {
  const [entry] = BY_ID.get(id) || [];
  if (!entry) return el("span.ref", null, el("span.id", null, cut(id, 200)));
  return el(
    "a.ref",
    { href: addressOf(entry, {}) },
    badge(entry.status),
    spoken(STATUSES[entry.status].word),
    el("span.id", null, cut(id, 200)),
    entry.title && el("span.title", null, cut(entry.title, 200)),
  );
}

function comparisonSection(changed) {
  if (!changed) return null;
  const ended = ({ id, before, now, trials }) =>
    caseLine(
      id,
      trials
        ? `${trials.before.passed}/${trials.before.ran} → ${trials.now.passed}/${trials.now.ran} trials`
        : `${STATUSES[before].word} → ${STATUSES[now].word}`,
    );
  const lists = [
    ["Worse", changed.worse, ended],
    ["Better", changed.better, ended],
    [
      "Slower",
      changed.slower,
      ({ id, before_ms: before, now_ms: now }) => caseLine(id, `${lasting(before)} → ${lasting(now)}`),
    ],
    ["More expensive", changed.costlier, ({ id, before, now }) => caseLine(id, `${costing(before)} → ${costing(now)}`)],
    ["New", changed.new, (id) => caseLine(id)],
    ["Gone", changed.gone, (id) => caseLine(id)],
  ].filter(([, list]) => list.length);
  if (!lists.length) return card("Since the baseline", el("p.none", null, "No changes."));
  const part = ([title, list, line]) =>
    fold(
      "change",
      [title, el("span.count", null, grouped(list.length))],
      () => [el("ul.lines", null, list.slice(0, 200).map(line)), andMore(list.length - 200)],
      title === "Worse" || list.length <= 5,
    );
  return card("Since the baseline", lists.map(part));
}

/** Assertions that were never exercised, by case; those of a question have none. */
function unexercisedSection(unexercised) {
  if (!unexercised) return null;
  const cases = new Map();
  unexercised.slice(0, 50).forEach((row) => push(cases, row.case, row));
  const line = ({ assertion, place, why }) =>
    el(
      "li",
      null,
      el("b.name", null, cut(assertion, 200)),
      el("span.why", null, cut(why, 300)),
      el("span.path", null, cut(place, 200)),
    );
  const group = ([id, rows]) =>
    el("li", null, id !== null && caseName(id), el("ul.idle", null, rows.map(line)));
  return card(
    "Never exercised",
    el("p.none", null, "These assertions passed, but nothing in the run could have made them fail."),
    el("ul.lines.by-case", null, [...cases].map(group)),
    andMore(unexercised.length - 50),
  );
}

function keysSection() {
  const keys = [
    ["j / k", "next / previous result"],
    ["Enter", "open"],
    ["Esc", "back"],
    ["/", "search"],
    ["n / p", "next / previous mark"],
  ];
  return el(
    "p.keys",
    null,
    keys.map(([key, does]) => el("span", null, el("kbd", null, key), does)),
  );
}
