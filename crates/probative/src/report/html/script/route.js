// The address holds the open case and the filters, so that every view has a link.

const FIELDS = ["case", "nth", "view", "q", "status", "file", "suite", "type", "fails", "cause", "sort"];

/** Reads the fields of the address; a missing one is empty. */
function route() {
  const written = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(FIELDS.map((field) => [field, written.get(field) || ""]));
}

/** Returns the address with some fields changed. `nth` needs a case. */
function address(changes, from = route()) {
  const fields = { ...from, ...changes };
  if (!fields.case) fields.nth = "";
  const written = new URLSearchParams();
  FIELDS.filter((field) => fields[field]).forEach((field) => written.set(field, fields[field]));
  return `#${written}`;
}

/** Returns the address of a case: within the current filters, or without any. */
const addressOf = (entry, from) => address({ case: entry.id, nth: entry.nth ? String(entry.nth) : "", view: "" }, from);

/** Goes to an address: as a new history entry, or replacing the current one. */
function go(to, { replace } = {}) {
  if (to === (location.hash || "#")) return;
  try {
    history[replace ? "replaceState" : "pushState"](null, "", to);
    show();
  } catch {
    // Some browsers allow a local file to change only its fragment.
    location.hash = to;
  }
}

/** Makes a link that changes some fields of the address at the time of the click. */
function leading(kind, changes, ...children) {
  const follow = (event) => {
    event.preventDefault();
    go(address(changes));
  };
  return el(kind, { href: address(changes), onclick: follow }, children);
}

/** Returns the entry that the address names. */
function openEntry() {
  const { case: id, nth } = route();
  return id ? (BY_ID.get(id) || [])[Number(nth) || 0] : undefined;
}
