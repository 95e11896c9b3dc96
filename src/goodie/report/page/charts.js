// Bars, shares, the reliability diagram and the confusion matrix.

// rows: [{ label, share (0 to 1, of the track), value, tip, interval (optional), extra (optional) }]
function bars(rows) {
  return el("div", { class: "bars" }, rows.map((row) => [
    el("span", { class: "label" }, row.label),
    el("span", { class: "track", "data-tip": row.tip },
      el("span", { class: "fill plain", style: `width:${(100 * row.share).toFixed(2)}%` }),
      row.interval ? el("span", { class: "whisker", style: across(row.interval) }) : null),
    el("span", { class: "value" }, row.value,
      row.extra ? el("span", { class: "extra soft" }, ` (${row.extra})`) : null),
  ]).flat());
}

const across = (interval) =>
  `left:${(100 * interval.low).toFixed(2)}%;` +
  `width:${(100 * (interval.high - interval.low)).toFixed(2)}%`;

// Structure's share against features', with the middle half of the nodes as a line.
function shareBars(groups) {
  return el("div", { class: "bars" }, groups.map((group) => {
    const text = `${group.label}: ${plural(group.nodes, "node", "nodes")}\n` +
      `from structure ${percent(group.mean)}\n` +
      `half of them between ${percent(group.low, 0)} and ${percent(group.high, 0)}`;
    return [
      el("span", { class: "label" }, group.label),
      el("span", { class: "track", "data-tip": text },
        el("span", { class: "fill", style: `width:${(100 * group.mean).toFixed(2)}%` }),
        el("span", { class: "rest" }),
        el("span", { class: "range", style: across(group) })),
      el("span", { class: "value" }, percent(group.mean, 0)),
    ];
  }).flat());
}

function reliabilityDiagram(odds, title) {
  const [size, left, bottom] = [250, 40, 34];
  const x = (share) => left + share * size;
  const y = (share) => 8 + (1 - share) * size;
  const most = Math.max(1, ...odds.bins.map((bin) => bin.nodes));
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const grid = ticks.flatMap((t) => [
    svg("line", { x1: x(0), x2: x(1), y1: y(t), y2: y(t), stroke: "var(--faint)" }),
    svg("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, `${100 * t}`),
    svg("text", { x: x(t), y: y(0) + 15, "text-anchor": "middle" }, `${100 * t}`),
  ]);
  const marks = odds.bins.filter((bin) => bin.nodes > 0).flatMap((bin) => [
    svg("line", {
      x1: x(bin.confidence), x2: x(bin.confidence), y1: y(bin.confidence), y2: y(bin.accuracy),
      stroke: "var(--features)", "stroke-width": 2,
    }),
    svg("circle", {
      cx: x(bin.confidence), cy: y(bin.accuracy), r: 3 + 9 * Math.sqrt(bin.nodes / most),
      fill: "var(--structure)", "fill-opacity": 0.75,
      "data-tip": `${percent(bin.lower, 0)} to ${percent(bin.upper, 0)}: ` +
        `${plural(bin.nodes, "node", "nodes")}\nsaid ${percent(bin.confidence)}, ` +
        `right ${percent(bin.accuracy)}`,
    }),
  ]);
  return el("figure", {},
    el("figcaption", {}, `${title}: calibration error ${percent(odds.error)}`),
    svg("svg", {
      viewBox: `0 0 ${left + size + 16} ${8 + size + bottom}`, role: "img",
      "aria-label": `${title}: how often answers are right, by how sure they are`,
    },
      grid,
      svg("line", {
        x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--soft)", "stroke-dasharray": "3 4",
      }),
      marks,
      svg("text", { x: x(0.5), y: y(0) + 30, "text-anchor": "middle" }, "probability said, %"),
      svg("text", {
        transform: `translate(11 ${y(0.5)}) rotate(-90)`, "text-anchor": "middle",
      }, "share right, %")));
}

function confusionMatrix(confusion) {
  const totals = confusion.counts.map((row) => row.reduce((sum, n) => sum + n, 0));
  const heads = confusion.names.map((name) =>
    el("th", { scope: "col", title: name }, el("span", {}, name)));
  const rows = confusion.counts.map((row, i) => el("tr", {},
    el("th", { scope: "row" }, confusion.names[i]),
    row.map((n, j) => {
      const share = totals[i] ? n / totals[i] : 0;
      const ink = share > 0.55 ? "var(--paper)" : "inherit";
      return el("td", {
        style: `background:rgba(var(--heat),${(0.04 + 0.9 * share).toFixed(3)});color:${ink}`,
        "data-tip": `${confusion.names[i]}, taken for ${confusion.names[j]}: ` +
          `${plural(n, "node", "nodes")}, ${percent(share)} of the class`,
      }, n ? count(n) : "");
    })));
  const caption = "Labels of judged nodes (rows), and what is predicted (columns)";
  return el("div", {},
    el("p", { class: "note" }, caption),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", { class: confusion.names.some((name) => name.length > 3) ? "confusion long" : "confusion" },
        el("thead", {}, el("tr", {}, el("td"), heads)), el("tbody", {}, rows))));
}

// The mistakes that are made most often.
function mistakes(confusion) {
  const found = confusion.counts.flatMap((row, i) =>
    row.map((n, j) => ({ label: confusion.names[i], taken: confusion.names[j], n, i, j })));
  const rows = found.filter((one) => one.i !== one.j && one.n > 0)
    .sort((a, b) => b.n - a.n).slice(0, 8);
  if (!rows.length) return el("p", { class: "note" }, "No mistake was made.");
  return plainTable("The most frequent mistakes", [
    { title: "label", value: (row) => row.label },
    { title: "taken for", value: (row) => row.taken },
    { title: "nodes", text: (row) => count(row.n), number: true },
  ], rows);
}
