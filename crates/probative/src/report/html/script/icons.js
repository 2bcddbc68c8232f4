// Icons, 16 by 16, in the colour of the surrounding text.

const ICONS = {
  pass: "M3.5 8.5l3 3 6-7",
  fail: "M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6",
  error: "M8 3.2v6M8 12.3v.5",
  skip: "M3.5 8h9",
  flaky: "M2 9.5c1.5-5 3-5 4.2-1.5S9 12 10.2 8 13 5 14 6.5",
  tool_call: "M9.8 3.2a3 3 0 0 0-3.6 4L3 10.4 5.6 13l3.2-3.2a3 3 0 0 0 4-3.6L11 8 8.8 7.2 8 5z",
  llm_call: "M8 2.5l1.4 4.1 4.1 1.4-4.1 1.4L8 13.5 6.6 9.4 2.5 8l4.1-1.4z",
  state_change: "M3 6h9l-2.5-2.5M13 10H4l2.5 2.5",
  copy: "M6 6h7v7H6zM3 10V3h7",
  link: "M7 9l2-2M6.5 5.5l1.8-1.8a2.5 2.5 0 0 1 3.6 3.6L10 9.2M9.5 10.5l-1.8 1.8a2.5 2.5 0 0 1-3.6-3.6L6 6.8",
  back: "M9.5 3.5L5 8l4.5 4.5",
  next: "M6.5 3.5L11 8l-4.5 4.5",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.2 3.2",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  warning: "M8 2.8l6 10.4H2zM8 6.6v3M8 11.4v.3",
  place: "M8 3v8M4.5 8L8 11.5 11.5 8",
};

/** Makes an icon. It is hidden from screen readers: put a word beside it, or label its parent. */
function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] || ICONS.skip);
  drawing.append(path);
  return drawing;
}

/** Makes a round badge for a status. */
const badge = (status) => el(`span.badge.${status}`, null, icon(status));
