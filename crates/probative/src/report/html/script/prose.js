// The prose around a case in its spec file, and the case's input.

/** Prose longer than this is folded. */
const SHOWN_PROSE = 900;

/** The section with the prose before a case: its heading, paragraphs, lists and code. Everything in it is text. */
function proseSection(prose) {
  if (!prose) return null;
  const { heading, blocks, cut: isCut } = prose;
  if (!blocks.length) return null;
  const make = () => [blocks.map(blockOf), isCut && el("p.none", null, "… more in the spec file")];
  const length = JSON.stringify(blocks).length;
  const head = heading ? cut(heading, 200) : "Description";
  if (length > SHOWN_PROSE) return el("section.story", null, fold("more-story", el("h3", null, head), make, false));
  return el("section.story", { "aria-label": "Description" }, heading && el("h3", null, head), make());
}

/** Makes a block. Unknown kinds are skipped. */
function blockOf({ kind, spans, text, items }) {
  switch (kind) {
    case "paragraph":
      return el("p", null, spans.map(spanOf));
    case "code":
      return el("pre.plaintext", { tabindex: "0" }, text);
    case "list":
      return el(
        "ul",
        null,
        items.map((item) => el("li", null, item.map(spanOf))),
      );
    default:
      return null;
  }
}

function spanOf({ text, style }) {
  const tag = { emphasis: "em", strong: "strong", code: "code" }[style];
  return tag ? el(tag, null, text) : text;
}

/** The section with what the agent was given: one panel per turn. */
const inputSection = (inputs = []) =>
  inputs.map((panel) => el("section.panel.input", null, titleOf(panel), panelBody(panel, inputs, new Marks({ assertions: [] }))));
