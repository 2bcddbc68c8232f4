// The list of results. Only visible rows are in the document, so that ten thousand scroll as fast as ten.

const ROW_HEIGHT = 60;
const BEYOND = 8;

const LIST = {
  pane: document.getElementById("list"),
  list: el("ol.rows"),
  empty: el("p.none", { hidden: true }, "No matching results."),
  /** The listed entries, in order. */
  entries: [],
  /** The rows in the document, by position. */
  rows: new Map(),
  /** The position of the keyboard cursor. */
  cursor: -1,
};
LIST.pane.append(LIST.list, LIST.empty);
LIST.pane.addEventListener("scroll", () => drawRows(), { passive: true });
window.addEventListener("resize", () => drawRows());

/** Replaces the listed entries. */
function listEntries(entries, open) {
  LIST.entries = entries;
  LIST.cursor = open ? entries.indexOf(open) : -1;
  LIST.rows.forEach((row) => row.remove());
  LIST.rows.clear();
  LIST.list.style.height = `${entries.length * ROW_HEIGHT}px`;
  LIST.empty.hidden = entries.length > 0;
  drawRows();
}

/** Moves the cursor to the open entry. It stays there when the entry is closed. */
function setCursor(entry) {
  if (entry) LIST.cursor = LIST.entries.indexOf(entry);
  LIST.rows.forEach((row, at) => mark(row, at));
}

function mark(row, at) {
  const link = row.firstChild;
  if (at === LIST.cursor) link.setAttribute("aria-current", "true");
  else link.removeAttribute("aria-current");
}

function drawRows() {
  const { pane, entries, rows } = LIST;
  const first = Math.max(0, Math.floor(pane.scrollTop / ROW_HEIGHT) - BEYOND);
  const last = Math.min(entries.length, Math.ceil((pane.scrollTop + pane.clientHeight) / ROW_HEIGHT) + BEYOND);
  for (const [at, row] of rows) {
    // Removing the focused row would lose the keyboard position.
    if ((at < first || at >= last) && !row.contains(document.activeElement)) {
      row.remove();
      rows.delete(at);
    }
  }
  for (let at = first; at < last; at += 1) {
    if (!rows.has(at)) rows.set(at, LIST.list.appendChild(rowOf(entries[at], at)));
  }
}

function rowOf(entry, at) {
  const side = [
    entry.trials && `${entry.trials.passed}/${entry.trials.ran}`,
    entry.duration !== undefined && lasting(entry.duration),
  ];
  const row = el(
    "li",
    {
      "aria-setsize": String(LIST.entries.length),
      "aria-posinset": String(at + 1),
      style: { transform: `translateY(${at * ROW_HEIGHT}px)` },
    },
    el(
      `a.result.${entry.status}`,
      { href: addressOf(entry), onclick: follow },
      badge(entry.status),
      spoken(`${STATUSES[entry.status].word}: `),
      el(
        "span.what",
        null,
        el("span.id", null, cut(entry.id.slice(SHARED.length), 200)),
        entry.title && el("span.title", null, cut(entry.title, 200)),
      ),
      el(
        "span.side",
        null,
        entry.flaky && el("span.tag", null, "flaky"),
        entry.noted && el("span.tag.warned", { title: "has warnings" }, "!"),
        el("span", null, side.filter(Boolean).join(" · ")),
      ),
      entry.gist ? el("span.gist", null, cut(entry.gist, 200)) : pathIn("span.gist", entry.place),
    ),
  );
  mark(row, at);
  return row;
}

/** Handles plain clicks; leaves modified clicks to the browser. */
function follow(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(event.currentTarget.getAttribute("href"));
}

/** Scrolls a position into view. */
function bringIntoSight(at) {
  const { pane } = LIST;
  const top = at * ROW_HEIGHT;
  if (top < pane.scrollTop) pane.scrollTop = top;
  else if (top + ROW_HEIGHT > pane.scrollTop + pane.clientHeight) pane.scrollTop = top + ROW_HEIGHT - pane.clientHeight;
  drawRows();
}

/** Returns whether list and detail are side by side. */
const isWide = () => window.matchMedia("(min-width: 900px)").matches;

function focusCursor() {
  LIST.rows.get(LIST.cursor)?.firstChild.focus({ preventScroll: true });
}

/** Moves the cursor, and opens the result on wide screens. */
function move(by, { open } = {}) {
  if (!LIST.entries.length) return;
  const at = Math.min(Math.max(LIST.cursor + by, 0), LIST.entries.length - 1);
  LIST.cursor = at;
  bringIntoSight(at);
  LIST.rows.forEach((row, index) => mark(row, index));
  if (open || isWide()) go(addressOf(LIST.entries[at]), { replace: Boolean(openEntry()) });
  if (!open) focusCursor();
}
