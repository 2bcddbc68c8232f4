// The address holds what is seen: the open case and the filters. Every case thus has a link.

const FIELDS = ["case", "nth", "view", "q", "status", "file", "suite", "type", "fails", "sort"];

/** What the address says; a field that is not there is empty. */
function route() {
  const written = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(FIELDS.map((field) => [field, written.get(field) || ""]));
}

/** The address with some fields changed. Without a case there is no `nth`. */
function address(changes, from = route()) {
  const fields = { ...from, ...changes };
  if (!fields.case) fields.nth = "";
  const written = new URLSearchParams();
  FIELDS.filter((field) => fields[field]).forEach((field) => written.set(field, fields[field]));
  return `#${written}`;
}

/** The address of a case: as the list is filtered, or among all. */
const addressOf = (entry, from) => address({ case: entry.id, nth: entry.nth ? String(entry.nth) : "", view: "" }, from);

/** Goes to an address: as a step that `back` undoes, or in the place of the present one. */
function go(to, { replace } = {}) {
  if (to === (location.hash || "#")) return;
  try {
    history[replace ? "replaceState" : "pushState"](null, "", to);
    show();
  } catch {
    // Some browsers let a file change nothing but its fragment.
    location.hash = to;
  }
}

/** A link that changes some fields of the address as it is by then. */
function leading(kind, changes, ...children) {
  const follow = (event) => {
    event.preventDefault();
    go(address(changes));
  };
  return el(kind, { href: address(changes), onclick: follow }, children);
}

/** The entry that the address names. */
function openEntry() {
  const { case: id, nth } = route();
  return id ? (BY_ID.get(id) || [])[Number(nth) || 0] : undefined;
}
