// Keyboard: j and k move through the list, Enter opens, Esc goes back, / searches, n and p move through the marks of a case.

const KEYS = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  "/": () => CONTROLS.search.select(),
  n: () => nextMark(1),
  p: () => nextMark(-1),
  Escape: () => go(address({ case: "", view: "" })),
  Enter: (target) => enter(target.closest(".result")?.getAttribute("href") ?? addressAtCursor()),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (target === CONTROLS.search) return onSearchKey(event);
  if (target.matches("input, select, textarea")) return;
  // In a case, arrows scroll and Enter activates the focused element.
  const isInList =
    !document.getElementById("detail").contains(target) && !target.matches("button, summary, a:not(.result)");
  if (!isInList && ["Enter", "ArrowDown", "ArrowUp"].includes(key)) return;
  const act = KEYS[key];
  if (!act) return;
  event.preventDefault();
  act(target);
}

const addressAtCursor = () => LIST.entries[LIST.cursor] && addressOf(LIST.entries[LIST.cursor]);

function enter(to) {
  if (!to) return;
  go(to);
  focusDetail();
}

function onSearchKey(event) {
  const { key } = event;
  if (key === "Escape") {
    if (CONTROLS.search.value) go(address({ q: "" }), { replace: true });
    CONTROLS.search.value = "";
    CONTROLS.search.blur();
  } else if (key === "ArrowDown" || key === "Enter") {
    LIST.cursor = -1;
    move(1);
  } else return;
  event.preventDefault();
}

function focusDetail() {
  document.getElementById("case-title")?.focus({ preventScroll: true });
}

/** Focuses the next mark in the open case, wrapping around. */
function nextMark(by) {
  const marks = [...document.querySelectorAll("#detail .mark")];
  if (!marks.length) return;
  const at = marks.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : marks.length - 1) : (at + by + marks.length) % marks.length;
  reveal(marks[next]);
}
