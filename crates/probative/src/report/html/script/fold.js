// Parts that open on a click and are built when first opened, and long lists with gaps.

/** Makes a part that is built when first opened. */
function fold(kind, head, make, open) {
  const body = el("div.folded");
  let isMade = false;
  const unfold = () => {
    if (isMade) return;
    isMade = true;
    fill(body, [make()]);
  };
  if (open) unfold();
  const part = el(`details.${kind}`, { open, ontoggle: () => part.open && unfold() }, el("summary", null, head), body);
  return part;
}

/** Entries of a gap that one click shows. */
const SHOWN_AT_ONCE = 200;

/**
 * Fills a long list: entries that are `kept` are shown, those between them are gaps that open on a click.
 *
 * A list of up to `whole` entries has no gaps.
 */
function gapped(list, count, { whole, noun, isKept, make }) {
  let from = 0;
  const flush = (to) => {
    if (from < to) list.append(gap(list, from, to, noun, make));
  };
  for (let at = 0; at < count; at += 1) {
    if (count > whole && !isKept(at)) continue;
    flush(at);
    list.append(make(at));
    from = at + 1;
  }
  flush(count);
  return list;
}

function gap(list, from, to, noun, make) {
  const shown = Math.min(to - from, SHOWN_AT_ONCE);
  const more = to - from > shown ? `, ${grouped(shown)} at a time` : "";
  const open = () => {
    const made = Array.from({ length: shown }, (_, at) => make(from + at));
    if (from + shown < to) made.push(gap(list, from + shown, to, noun, make));
    entry.replaceWith(...made);
    made[0].querySelector("summary, button, a")?.focus({ preventScroll: true });
  };
  const entry = el(
    "li.gap",
    null,
    el(
      "button",
      { type: "button", onclick: open },
      `${counted(to - from, noun)} hidden`,
      el("span", null, `show${more}`),
    ),
  );
  return entry;
}
