// What all results say together: how they ended, what fails most, what changed, what was never exercised.

/** Puts the overview on the page. */
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
        "What does not hold",
        ENTRIES.flatMap((entry) => entry.bad.map((name) => [name, entry])),
        (name) => ({ fails: name }),
      ),
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
  const facts = [
    SUMMARY.duration_ms !== undefined && `took ${lasting(SUMMARY.duration_ms)}`,
    costs.length > 0 && `${costing(costs.reduce((sum, entry) => sum + entry.cost, 0))} where recorded`,
    SUMMARY.interrupted && "interrupted: these are a part only",
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
        { href: address(changes(name), {}) },
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

const andMore = (count) => count > 0 && el("p.none", null, `… and ${grouped(count)} more`);

function filesSection() {
  const files = new Map();
  ENTRIES.forEach((entry) => push(files, entry.file, entry));
  if (files.size < 2) return null;
  const bad = (entries) => entries.filter((entry) => entry.status === "fail" || entry.status === "error").length;
  const sorted = [...files]
    .map(([file, entries]) => ({ file, entries, bad: bad(entries) }))
    .sort((a, b) => b.bad - a.bad || (a.file < b.file ? -1 : 1));
  const line = ({ file, entries, bad: count }) =>
    el(
      "li",
      null,
      el(
        "a",
        { href: address({ file }, {}) },
        el("span.label", null, cut(file, 160)),
        shareBar(entries),
        el("b", null, count ? `${grouped(count)} of ${grouped(entries.length)} bad` : grouped(entries.length)),
      ),
    );
  return card(
    "Files",
    el("ul.groups", null, sorted.slice(0, SHOWN_GROUPS).map(line)),
    andMore(sorted.length - SHOWN_GROUPS),
  );
}

/** Statuses and how many have them, as parts of a bar. */
const parts = (shares) =>
  shares
    .filter(([, count]) => count)
    .map(([status, count]) => el(`span.${status}`, { style: { "flex-grow": String(count) } }));

/** How entries ended, as a bar. */
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

/** A line that leads to a case, if the page has it. */
function caseLine(id, ...facts) {
  const [entry] = BY_ID.get(id) || [];
  const name = entry
    ? el("a", { href: addressOf(entry, {}) }, badge(entry.status), spoken(STATUSES[entry.status].word), cut(id, 200))
    : el("span", null, cut(id, 200));
  return el("li", null, name, el("span.fact", null, facts));
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
    ["Costlier", changed.costlier, ({ id, before, now }) => caseLine(id, `${before} → ${now}`)],
    ["New", changed.new, (id) => caseLine(id)],
    ["Gone", changed.gone, (id) => caseLine(id)],
  ].filter(([, list]) => list.length);
  if (!lists.length) return card("Since the baseline", el("p.none", null, "Nothing has changed."));
  const part = ([title, list, line]) =>
    fold(
      "change",
      [title, el("span.count", null, grouped(list.length))],
      () => [el("ul.lines", null, list.slice(0, 200).map(line)), andMore(list.length - 200)],
      title === "Worse" || list.length <= 5,
    );
  return card("Since the baseline", lists.map(part));
}

function unexercisedSection(unexercised) {
  if (!unexercised) return null;
  const line = ({ case: id, assertion, place, why }) =>
    el(
      "li",
      null,
      el(
        "span",
        null,
        el("b", null, assertion),
        id !== null && [
          " in ",
          BY_ID.has(id) ? el("a", { href: addressOf(BY_ID.get(id)[0], {}) }, cut(id, 120)) : cut(id, 120),
        ],
      ),
      el("span.fact", null, why),
      el("span.path", null, place),
    );
  return card(
    "Never exercised",
    el("p.none", null, "These passed wherever they were asked, but nothing could have made them fail."),
    el("ul.lines", null, unexercised.slice(0, 50).map(line)),
    andMore(unexercised.length - 50),
  );
}

function keysSection() {
  const keys = [
    ["j / k", "next, previous"],
    ["Enter", "open"],
    ["Esc", "back"],
    ["/", "search"],
    ["n / p", "next, previous mark"],
  ];
  return el(
    "p.keys",
    null,
    keys.map(([key, does]) => el("span", null, el("kbd", null, key), does)),
  );
}
