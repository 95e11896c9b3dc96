// The page, from top to bottom.

const { graph, parts, holes, verdict, shares, points } = account;

const VOICES = {
  both: "structure and features answer together",
  structure: "structure answers alone",
  features: "features answer alone",
  labels: "propagated labels answer",
};
const JUDGED = {
  test: "test nodes, whose labels were kept back from fitting",
  judges: "labelled nodes that were kept back from a first fit; the model has since learned from " +
    "them too",
  calibration: "labelled nodes that neither trained nor selected; temperature and label sets are " +
    "judged in turns, each part of them by what the others say",
  selection: "nodes that selected the model, as there are no others: what they say flatters it",
};
const ON = { test: "test nodes", judges: "judges", calibration: "nodes set aside", selection: "selecting nodes" };

const figures = { number: true };
const share = (value) => (value === null ? "–" : percent(value));

function tiles() {
  const tile = (name, value, more) => el("div", { class: "tile" }, el("dt", {}, name),
    el("dd", {}, el("div", { class: "value" }, value), el("div", { class: "more" }, more)));
  const out = [];
  if (verdict) {
    const { accuracy } = verdict;
    out.push(tile("Right", percent(accuracy.share), `95 % interval ${range(accuracy)}, on ${count(accuracy.nodes)} ${ON[verdict.on]}`));
    const sets = verdict.sets.find((one) => one.alpha === 0.1);
    if (sets) out.push(tile("In its 90 % set", percent(sets.coverage.share), `sets of ${sets.size.toFixed(2)} classes on average`));
    out.push(tile("Calibration error", percent(verdict.after.error), `${percent(verdict.before.error)} before temperature ${verdict.temperature.toFixed(2)}`));
  }
  out.push(tile("Features missing", percent(holes.missing), `${plural(holes.bare, "node has", "nodes have")} none at all`));
  if (shares) out.push(tile("From structure", percent(shares.mean, 0), `${percent(1 - shares.mean, 0)} from features`));
  out.push(tile("Out of reach", count(account.abstaining), "nodes that nothing tells of"));
  return el("dl", { class: "tiles" }, out);
}

function dataSection() {
  const sizes = [
    ["nodes", graph.nodes], ["edges", graph.edges], ["features", graph.features],
    ["classes", account.classes.length], ["connected components", graph.components],
    ["nodes in the largest", graph.largest], ["nodes without a neighbour", graph.isolated],
  ].map(([name, n]) => ({ name, text: count(n) }));
  sizes.push({ name: "neighbours of a node, on average", text: graph.mean_degree.toFixed(1) });
  const used = [["trained", parts.train], ["selected the model", parts.select],
    ["calibrated it", parts.calibrate], ["were left alone", parts.other]];
  const most = Math.max(1, ...holes.by_node.map((bar) => bar.nodes));
  const columns = holes.columns;
  return [
    el("div", { class: "columns" },
      el("div", {}, el("h3", {}, "Sizes"),
        plainTable("The graph", [{ title: "what", value: (row) => row.name }, { title: "how many", text: (row) => row.text, ...figures }], sizes),
        el("h3", {}, "What nodes were used for"),
        bars(used.map(([label, n]) => ({ label, share: n / graph.nodes, value: count(n), tip: `${plural(n, "node", "nodes")}, ${percent(n / graph.nodes)} of all` })))),
      el("div", {}, el("h3", {}, "Nodes, by the share of their features that is observed"),
        bars(holes.by_node.map((bar) => ({ label: bar.label, share: bar.nodes / most, value: count(bar.nodes), tip: `${bar.label} observed: ${plural(bar.nodes, "node", "nodes")}` }))),
        columns.length ? el("details", {}, el("summary", {}, `Columns with the most holes (${count(columns.length)} of ${count(graph.features)})`),
          sortedTable("Features", [
            { title: "column", value: (row) => row.name },
            { title: "observed", value: (row) => row.observed, text: (row) => percent(row.observed, 2), ...figures },
          ], columns, { by: { column: 1, descending: false }, step: 15 }).node) : null)),
  ];
}

function answersSection() {
  if (!verdict) return [el("p", {}, "No node has a label that was kept back, so nothing can be said of how good the answers are.")];
  const scores = [{ name: account.method, accuracy: verdict.accuracy }, ...verdict.rivals];
  const classes = sortedTable("Classes, on judged nodes", [
    { title: "class", value: (row) => row.name },
    { title: "known", value: (row) => row.known, text: (row) => count(row.known), ...figures },
    { title: "predicted", value: (row) => row.predicted, text: (row) => count(row.predicted), ...figures },
    { title: "judged", value: (row) => row.judged, text: (row) => count(row.judged), ...figures },
    { title: "precision", value: (row) => row.precision, text: (row) => share(row.precision), ...figures },
    { title: "recall", value: (row) => row.recall, text: (row) => share(row.recall), ...figures },
    { title: "F1", value: (row) => row.f1, text: (row) => share(row.f1), ...figures },
  ], verdict.classes);
  return [
    el("p", { class: "soft" }, `Judged on ${count(verdict.accuracy.nodes)} ${JUDGED[verdict.on]}.`),
    el("h3", {}, "Accuracy, with its 95 % interval"),
    bars(scores.map((row) => ({ label: row.name, share: row.accuracy.share, interval: row.accuracy, value: percent(row.accuracy.share), extra: range(row.accuracy), tip: `${row.name}: right on ${percent(row.accuracy.share)}\n95 % interval ${range(row.accuracy)}` }))),
    el("h3", {}, "Class by class"), classes.node,
    el("h3", {}, "What is taken for what"),
    el("div", { class: "columns" }, confusionMatrix(verdict.confusion), mistakes(verdict.confusion)),
  ];
}

function oddsSection() {
  const bin = [
    { title: "probability said", value: (row) => `${percent(row.lower, 0)} – ${percent(row.upper, 0)}` },
    { title: "nodes", text: (row) => count(row.nodes), ...figures },
    { title: "mean of it", text: (row) => (row.nodes ? percent(row.confidence) : "–"), ...figures },
    { title: "right", text: (row) => (row.nodes ? percent(row.accuracy) : "–"), ...figures },
  ];
  const sets = [
    { title: "asked for", value: (row) => percent(1 - row.alpha, 0) },
    { title: "holds the label", text: (row) => `${percent(row.coverage.share)} (${range(row.coverage)})`, ...figures },
    { title: "classes in a set", text: (row) => row.size.toFixed(2), ...figures },
    { title: "empty sets", text: (row) => percent(row.empty), ...figures },
  ];
  const direction = verdict.temperature > 1 ? "more modest" : "bolder";
  return [
    el("p", { class: "soft" }, "If probabilities mean what they say, dots lie on the dashed line: of the answers given at 80 %, 80 % are right. " +
      (verdict.temperature === 1 ? "These are as the method gives them." : `A temperature of ${verdict.temperature.toFixed(2)} made them ${direction}.`)),
    el("div", { class: "columns" },
      el("div", {}, reliabilityDiagram(verdict.before, "As the method gives them"), asTable("Before temperature", bin, verdict.before.bins)),
      el("div", {}, reliabilityDiagram(verdict.after, "At the temperature"), asTable("After temperature", bin, verdict.after.bins))),
    el("h3", {}, "Label sets"),
    verdict.sets.length
      ? el("div", {}, plainTable("How often a set holds the label, and how large it is", sets, verdict.sets),
        el("p", { class: "note" }, "An empty set marks a node for which every class would be odder than was asked for; a model that is right more often than asked has to leave some."))
      : el("p", {}, "No nodes were set aside to calibrate by, so there are no label sets."),
  ];
}

function sharesSection() {
  const columns = [
    { title: "nodes with", value: (row) => row.label },
    { title: "nodes", text: (row) => count(row.nodes), ...figures },
    { title: "mean", text: (row) => percent(row.mean), ...figures },
    { title: "lower quarter", text: (row) => percent(row.low), ...figures },
    { title: "upper quarter", text: (row) => percent(row.high), ...figures },
  ];
  return [
    el("p", { class: "soft" }, "How much of each node's embedding came from its graph, and how much from its features; means. The thin line spans the middle half of the nodes."),
    el("p", { class: "note keys" },
      el("span", {}, el("span", { class: "key", style: "background:var(--structure)" }), "from structure"),
      el("span", {}, el("span", { class: "key", style: "background:var(--features)" }), "from features")),
    el("div", { class: "columns" },
      el("div", {}, el("h3", {}, "By number of neighbours"), shareBars(shares.by_degree), asTable("Share from structure by number of neighbours", columns, shares.by_degree)),
      el("div", {}, el("h3", {}, "By share of features observed"), shareBars(shares.by_observed), asTable("Share from structure by share of features observed", columns, shares.by_observed))),
  ];
}

function mapSection() {
  const n = points.x.length;
  const drawn = n < graph.nodes ? `${count(n)} nodes, drawn at random from ${count(graph.nodes)}` : plural(n, "node", "nodes");
  const rows = Array.from({ length: Math.min(n, 200) }, (_, i) => i);
  return [
    el("p", { class: "soft" }, `${drawn}; near each other where the model sees them alike (${points.layout} of the embeddings).`),
    nodeMap(points),
    asTable(`The first ${count(rows.length)} points`, [
      { title: "node", value: (i) => points.ids[i] },
      { title: "predicted", value: (i) => className(points.predicted[i]) },
      { title: "probability", text: (i) => percent(points.confidence[i] / 1000), ...figures },
      { title: "known", value: (i) => className(points.known[i]) },
      { title: "neighbours", text: (i) => count(points.degree[i]), ...figures },
    ], rows),
  ];
}

function doubtsSection() {
  const rows = account.doubts;
  const columns = [
    { title: "node", value: (row) => row.id },
    { title: "likeliest", value: (row) => className(row.first) },
    { title: "probability", value: (row) => row.first_probability, text: (row) => percent(row.first_probability), ...figures },
    { title: "next", value: (row) => (row.second === null ? null : className(row.second)), text: (row) => (row.second === null ? "–" : className(row.second)) },
    { title: "probability", value: (row) => row.second_probability, text: (row) => percent(row.second_probability), ...figures },
    { title: "in 90 % set", value: (row) => row.set_size, text: (row) => (row.set_size === null ? "–" : row.set_size === 0 ? "empty" : plural(row.set_size, "class", "classes")), ...figures },
    { title: "from structure", value: (row) => row.structure, text: (row) => (row.structure === null ? "–" : percent(row.structure, 0)), ...figures },
    { title: "observed", value: (row) => row.observed, text: (row) => percent(row.observed), ...figures },
    { title: "neighbours", value: (row) => row.degree, text: (row) => count(row.degree), ...figures },
  ];
  const table = sortedTable("Nodes that the model is least sure of", columns, rows, { by: { column: 2, descending: false } });
  const search = el("input", { type: "search", placeholder: "part of a name", autocomplete: "off" });
  const classes = [...new Set(rows.flatMap((row) => [row.first, row.second === null ? row.first : row.second]))].sort((a, b) => a - b);
  const only = select("Torn between", [["", "any classes"], ...classes.map((i) => [String(i), className(i)])]);
  const update = () => {
    const words = search.value.trim().toLowerCase();
    const chosen = only.input.value;
    table.filter((row) => (!words || row.id.toLowerCase().includes(words)) &&
      (chosen === "" || row.first === Number(chosen) || row.second === Number(chosen)));
  };
  search.addEventListener("input", update);
  only.input.addEventListener("change", update);
  const out = [
    el("p", { class: "soft" }, `The ${count(rows.length)} nodes, not trained on, whose likeliest class is the least likely: where to look first.`),
    el("div", { class: "controls" }, el("label", {}, "Find a node", search), only.node),
    table.node,
  ];
  return out;
}

function reachSection() {
  if (!account.abstaining) return [el("p", {}, "None: a known label or an observed feature reaches every node.")];
  const listed = account.abstainers.length;
  const names = account.abstainers.map((id) => el("li", {}, id));
  return [
    el("p", {}, `${plural(account.abstaining, "node is", "nodes are")} in a part of the graph without a known label and without an observed feature. What is predicted there is a guess, and their label sets hold every class.`),
    el("p", { class: "note" }, listed < account.abstaining ? `${count(listed)} of them:` : "They are:"),
    el("ul", { class: "ids" }, names.slice(0, 24)),
    listed > 24 ? el("details", {}, el("summary", {}, `${count(listed - 24)} more`), el("ul", { class: "ids" }, names.slice(24))) : null,
  ];
}

const SECTIONS = [
  ["answers", "Answers", answersSection, true],
  ["probabilities", "Probabilities", oddsSection, verdict !== null],
  ["data", "Data and holes", dataSection, true],
  ["shares", "Structure or features", sharesSection, shares !== null],
  ["map", "Map", mapSection, points.x.length > 0],
  ["doubts", "Least sure", doubtsSection, account.doubts.length > 0],
  ["reach", "Out of reach", reachSection, true],
].filter(([, , , there]) => there);

document.getElementById("top").append(
  el("h1", {}, account.title),
  el("p", { class: "soft" }, `${account.method} on ${count(graph.nodes)} nodes and ${count(graph.edges)} edges` +
    (account.voice in VOICES ? `; ${VOICES[account.voice]}.` : ".")),
  tiles());
document.querySelector("nav").append(el("ul", {}, SECTIONS.map(([id, name]) => el("li", {}, el("a", { href: `#${id}` }, name)))));
document.querySelector("main").append(...SECTIONS.map(([id, name, build]) =>
  el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, name), build())));
document.querySelector("footer").append(`Made by goodie ${account.version}. This page holds all it shows and asks the network for nothing.`);
document.body.dataset.ready = "true";
