// What is opened by a click: parts that are made when they are first seen, and lists with gaps.

/** A part under a head, made when it is first opened. */
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

/** How many entries one click shows of a gap. */
const SHOWN_AT_ONCE = 200;

/**
 * A long list: entries that are `kept` are shown, the stretches between them are gaps that open by a click.
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
      `${counted(to - from, noun)} between`,
      el("span", null, `show${more}`),
    ),
  );
  return entry;
}
