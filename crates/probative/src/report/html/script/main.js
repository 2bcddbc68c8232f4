// Builds the page and keeps it in step with the address.

/** What is shown now; only what changed is rebuilt. */
const SHOWN = { list: null, detail: null };

function makeBar() {
  const duration = SUMMARY.duration_ms !== undefined && el("span.took", null, lasting(SUMMARY.duration_ms));
  put(
    document.getElementById("bar"),
    el(
      "a.brand",
      { href: "#", onclick: follow, title: "Overview" },
      el("span.mark-of", null, "p"),
      el("b", null, "probative"),
    ),
    el("h1", null, headline()),
    SUMMARY.interrupted && el("span.pill.error", null, icon("warning"), "interrupted"),
    duration,
    el(
      "button.quiet",
      { type: "button", title: "Light or dark theme", "aria-label": "Switch between light and dark", onclick: switchTheme },
      icon("theme"),
    ),
  );
  const counts = { fail: SUMMARY.failed, error: SUMMARY.errors, skip: SUMMARY.skipped, pass: SUMMARY.passed };
  put(document.getElementById("share"), parts(Object.entries(counts)));
}

/** Shows what the address selects. */
function show() {
  const asked = route();
  const open = openEntry();
  showList(asked, open);
  document.body.classList.toggle("in-case", Boolean(asked.case || asked.view));
  showPane(asked, open);
}

function showList(asked, open) {
  const key = ["q", "status", "file", "suite", "type", "fails", "cause", "sort"].map((field) => asked[field]).join("\n");
  if (key !== SHOWN.list) {
    const isFirst = SHOWN.list === null;
    SHOWN.list = key;
    const entries = chosen(asked);
    if (!isFirst) LIST.pane.scrollTop = 0;
    listEntries(entries, open);
    showControls(asked, entries.length);
    if (isFirst && LIST.cursor > 0) bringIntoSight(LIST.cursor);
  } else setCursor(open);
}

function showPane(asked, open) {
  const key = `${asked.case}\n${asked.nth}`;
  if (key === SHOWN.detail) return;
  SHOWN.detail = key;
  const pane = document.getElementById("detail");
  if (open) showDetail(pane, open);
  else if (asked.case) showUnknown(pane, asked.case);
  else showOverview(pane);
  pane.scrollTop = 0;
  // On a small screen, the focused element is now hidden.
  if (!isWide()) (open ? focusDetail : focusCursor)();
}

makeBar();
makeControls();
show();
window.addEventListener("hashchange", show);
window.addEventListener("popstate", show);
document.addEventListener("keydown", onKey);
