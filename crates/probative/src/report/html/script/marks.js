// The places that the assertions of a case point at, by panel.

/** The places that the failures of a case name, and the elements that show them. */
class Marks {
  constructor(result) {
    this.steps = new Map();
    this.items = new Map();
    this.places = [];
    this.elements = new Map();
    result.assertions.forEach((row, index) => isBad(row) && this.take(row, index));
  }

  take(row, index) {
    (row.steps || []).forEach((step) => push(this.steps, step.index, { row, index, note: step.note }));
    (row.items || []).forEach((item) => push(this.items, item.place, { row, index, note: item.note }));
    if (row.place && !row.steps && !row.items) {
      const note = row.expected ? `${headlineOf(row)}: expected ${cut(row.expected, 160)}` : headlineOf(row);
      const turn = /^multi_step\[(\d+)\]/.exec(row.path);
      const mark = { note, index, target: row.target, turn: turn ? Number(turn[1]) : 0 };
      [row.place, ...(row.also_at || [])].forEach((place) => this.places.push({ place, ...mark }));
    }
  }

  /** Returns the places in a JSON panel: those of its turn and, where the row has a target, of its target. */
  within(panel, panels) {
    const first = panels.find(({ kind }) => kind === "json");
    const [turns, { turn, name }] = [[...new Set(panels.map((other) => turnOf(other).turn))], turnOf(panel)];
    return this.places.filter((mark) => {
      const isTarget = mark.target === undefined ? panel === first : mark.target === name;
      return isTarget && turns[mark.turn] === turn;
    });
  }

  /** Registers the element that a row points at. */
  show(index, name, element) {
    element.classList.add("mark");
    const key = `${index} ${name}`;
    if (!this.elements.has(key)) this.elements.set(key, element);
  }

  /** Makes a button to what a row points at. */
  jump(index, name, ...label) {
    return el(
      "button.jump",
      { type: "button", "data-mark": `${index} ${name}`, onclick: () => reveal(this.elements.get(`${index} ${name}`)) },
      icon("place"),
      label,
    );
  }

  /** Disables buttons whose target isn't on the page. */
  settle(within) {
    for (const button of within.querySelectorAll("button.jump")) {
      button.disabled = !this.elements.has(button.dataset.mark);
    }
  }
}

/** Splits the title of a panel into the turn, if there are several, and the name: `step 2: response`. */
function turnOf({ title }) {
  const [, turn, name] = /^(step [^:]*: )?([^]*)$/.exec(title);
  return { turn: turn || "", name };
}

function push(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

/** Opens the folds around an element, scrolls to it and focuses it. */
function reveal(element) {
  if (!element) return;
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
  element.scrollIntoView({ block: "center" });
  element.classList.remove("flash");
  void element.offsetWidth;
  element.classList.add("flash");
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
