// Filters and sorting: search, statuses, files, suites, types.

const CONTROLS = {
  search: null,
  chips: new Map(),
  selects: new Map(),
  count: el("span.count", { role: "status" }),
  others: el("div.chips"),
};

/** A menu with more choices than this is left out; search finds them. */
const MOST_CHOICES = 300;

function makeControls() {
  const search = el("input", {
    type: "search",
    placeholder: "Search id, title, file, message",
    "aria-label": "Search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => go(address({ q: search.value }), { replace: true }),
  });
  CONTROLS.search = search;
  const chips = Object.entries(STATUSES).map(([status, { chip }]) =>
    chipOf(status, chip, ENTRIES.filter((entry) => entry.status === status).length),
  );
  chips.splice(3, 0, chipOf("flaky", "Flaky", ENTRIES.filter((entry) => entry.flaky).length));
  put(
    document.getElementById("controls"),
    el("label.search", null, icon("search"), search, el("kbd", null, "/")),
    el(
      "div.filters",
      null,
      el("div.chips", { role: "group", "aria-label": "Filter by status" }, chips),
      el("div.tally", null, CONTROLS.count, leading("a.narrow.overview", { view: "overview" }, "Overview", icon("next"))),
    ),
    el(
      "div.selects",
      null,
      choice("file", "All files", (entry) => entry.file),
      choice(
        "suite",
        "All suites",
        (entry) => entry.suite,
        (entry) => entry.suiteName,
      ),
      choice("type", "All types", (entry) => entry.type),
      sortChoice(),
    ),
    CONTROLS.others,
  );
}

function chipOf(status, label, count) {
  if (!count) return null;
  const toggle = () => {
    const chosen = new Set(route().status.split(",").filter(Boolean));
    if (!chosen.delete(status)) chosen.add(status);
    go(address({ status: [...chosen].join(",") }), { replace: true });
  };
  const chip = el(
    `button.chip.${status}`,
    { type: "button", "aria-pressed": "false", onclick: toggle },
    icon(status),
    `${label} `,
    el("b", null, grouped(count)),
  );
  CONTROLS.chips.set(status, chip);
  return chip;
}

function select(field, label, options) {
  const element = el(
    "select",
    { "aria-label": label, onchange: () => go(address({ [field]: element.value }), { replace: true }) },
    options.map(([value, text]) => el("option", { value }, cut(text, 80))),
  );
  CONTROLS.selects.set(field, element);
  return element;
}

function choice(field, all, valueOf, nameOf = valueOf) {
  const values = new Map(ENTRIES.filter(valueOf).map((entry) => [valueOf(entry), nameOf(entry)]));
  if (values.size < 2 || values.size > MOST_CHOICES) return null;
  const sorted = [...values].sort((a, b) => (a[1] < b[1] ? -1 : 1));
  return select(field, all, [["", all], ...sorted]);
}

function sortChoice() {
  const has = {
    slow: ENTRIES.some((entry) => entry.duration !== undefined),
    cost: ENTRIES.some((entry) => entry.cost !== undefined),
  };
  const sorts = Object.entries(SORTS).filter(([name]) => has[name] !== false);
  return select(
    "sort",
    "Sort by",
    sorts.map(([name, { label }]) => [name, label]),
  );
}

/** Labels of the filters that have no menu. */
const FILTERS = { fails: "fails", cause: "error", file: "file", suite: "suite", type: "type" };

/** Makes a chip that removes a filter without a menu of its own. */
const removable = (field, value) =>
  el(
    "button.chip",
    { type: "button", title: "Remove this filter", onclick: () => go(address({ [field]: "" }), { replace: true }) },
    icon("fail"),
    `${FILTERS[field]}: `,
    el("b", null, cut(value, 60)),
  );

/** Shows the filters of the address, and how many results they match. */
function showControls(asked, count) {
  if (document.activeElement !== CONTROLS.search) CONTROLS.search.value = asked.q;
  const statuses = asked.status.split(",");
  CONTROLS.chips.forEach((chip, status) => chip.setAttribute("aria-pressed", String(statuses.includes(status))));
  CONTROLS.selects.forEach((element, field) => {
    element.value = asked[field];
    element.classList.toggle("set", Boolean(asked[field]));
  });
  const others = Object.keys(FILTERS).filter((field) => asked[field] && !CONTROLS.selects.has(field));
  put(
    CONTROLS.others,
    others.map((field) => removable(field, asked[field])),
  );
  CONTROLS.others.hidden = !others.length;
  put(
    CONTROLS.count,
    count === ENTRIES.length
      ? counted(count, NOUN)
      : `${grouped(count)} of ${counted(ENTRIES.length, NOUN)}`,
  );
}
