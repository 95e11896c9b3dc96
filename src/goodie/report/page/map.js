// The map: points on a canvas, coloured, filtered, found by name, told on hover.

const PALETTE = [
  "#3f74b5", "#d9822b", "#4a9d6f", "#c5504e", "#8465ad", "#3ba3b0", "#d178b0", "#9a7648",
  "#b0a42c", "#6b8e23", "#5a6fd0", "#a8577e",
];
const OTHER = "#8b919b";
const RAMPS = {
  structure: ["#c8752c", "#b9b4ab", "#2f6db5"],
  confidence: ["#c5504e", "#d8b34a", "#3f9a73"],
  observed: ["#c9c4b8", "#7fa7a8", "#1f6a73"],
};

function mix(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(at), ramp.length - 2);
  const part = (hex, from) => parseInt(hex.slice(from, from + 2), 16);
  const mixed = [1, 3, 5].map((from) =>
    Math.round(part(ramp[i], from) + (at - i) * (part(ramp[i + 1], from) - part(ramp[i], from))));
  return `rgb(${mixed.join(",")})`;
}

function classColours(points) {
  const often = new Map();
  for (const i of points.predicted) often.set(i, (often.get(i) || 0) + 1);
  const order = [...often.keys()].sort((a, b) => often.get(b) - often.get(a) || a - b);
  return new Map(order.slice(0, PALETTE.length).map((i, place) => [i, PALETTE[place]]));
}

function nodeMap(points) {
  const n = points.x.length;
  const colours = classColours(points);
  const ofClass = (i) => (i < 0 ? OTHER : colours.get(i) || OTHER);
  const modes = {
    predicted: ["Predicted label", (i) => ofClass(points.predicted[i])],
    known: ["Known label", (i) => ofClass(points.known[i])],
    confidence: ["Probability of the prediction", (i) => mix(RAMPS.confidence, points.confidence[i] / 1000)],
    observed: ["Share of features observed", (i) => mix(RAMPS.observed, points.observed[i] / 1000)],
  };
  if (points.structure.length)
    modes.structure = ["Share from structure", (i) => mix(RAMPS.structure, points.structure[i] / 1000)];

  const canvas = el("canvas", { role: "img", tabindex: "0", "aria-label": `Map of ${count(n)} nodes; as a table below` });
  const colour = select("Colour by", Object.entries(modes).map(([key, [name]]) => [key, name]));
  const only = select("Show", [["", "all classes"], ...[...new Set(points.predicted)].sort((a, b) => a - b)
    .map((i) => [String(i), `predicted ${className(i)}`])]);
  const search = el("input", { type: "search", placeholder: "part of a name", autocomplete: "off" });
  const legend = el("ul", { class: "legend" });
  const said = el("p", { class: "count", role: "status" });
  const state = { colour: "predicted", visible: new Uint8Array(n), found: new Set(), size: [0, 0], buckets: new Map() };

  const BUCKET = 16;
  const place = (i) => [
    14 + (points.x[i] / 10000) * state.scale + state.left,
    14 + (1 - points.y[i] / 10000) * state.scale + state.top,
  ];

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const span = [Math.max(1, ...extent(points.x)), Math.max(1, ...extent(points.y))];
    state.scale = Math.min((width - 28) / (span[0] / 10000), (height - 28) / (span[1] / 10000));
    state.left = (width - 28 - state.scale * span[0] / 10000) / 2;
    state.top = -state.scale * (1 - span[1] / 10000) + (height - 28 - state.scale * span[1] / 10000) / 2;
    state.buckets.clear();
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const radius = n > 8000 ? 1.6 : n > 1500 ? 2.4 : 3.6;
    const paint = modes[state.colour][1];
    // Those that are told nothing lie below.
    const hollow = state.colour === "known" ? (i) => points.known[i] < 0 : () => false;
    for (const below of [true, false]) {
      for (let i = 0; i < n; i++) {
        if (!state.visible[i] || hollow(i) !== below) continue;
        const [x, y] = place(i);
        context.globalAlpha = below ? 0.25 : 0.8;
        context.fillStyle = paint(i);
        context.beginPath();
        context.arc(x, y, radius, 0, 7);
        context.fill();
        const key = `${Math.floor(x / BUCKET)} ${Math.floor(y / BUCKET)}`;
        if (!state.buckets.has(key)) state.buckets.set(key, []);
        state.buckets.get(key).push(i);
      }
    }
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeStyle = getComputedStyle(document.body).color;
    for (const i of state.found) {
      context.beginPath();
      context.arc(...place(i), radius + 4, 0, 7);
      context.stroke();
    }
  }

  function nearest(x, y) {
    let [best, distance] = [-1, 12 * 12];
    const [column, row] = [Math.floor(x / BUCKET), Math.floor(y / BUCKET)];
    for (let a = column - 1; a <= column + 1; a++)
      for (let b = row - 1; b <= row + 1; b++)
        for (const i of state.buckets.get(`${a} ${b}`) || []) {
          const [px, py] = place(i);
          const d = (px - x) ** 2 + (py - y) ** 2;
          if (d < distance) [best, distance] = [i, d];
        }
    return best;
  }

  function describe(i) {
    const told = points.known[i] >= 0 ? `\nknown: ${className(points.known[i])}` : "";
    const share = points.structure.length ? `\nfrom structure ${percent(points.structure[i] / 1000)}` : "";
    return `${points.ids[i]}\n${className(points.predicted[i])}, ${percent(points.confidence[i] / 1000)}` +
      `${told}${share}\nfeatures observed ${percent(points.observed[i] / 1000)}` +
      `\n${plural(points.degree[i], "neighbour", "neighbours")}`;
  }

  function hover(event) {
    const box = canvas.getBoundingClientRect();
    const i = nearest(event.clientX - box.left, event.clientY - box.top);
    if (i < 0) hideTip();
    else showTip(describe(i), event.clientX, event.clientY);
  }

  function explain() {
    const item = (hex, name) => el("li", {}, el("span", { class: "key", style: `background:${hex}` }), name);
    if (state.colour in RAMPS) {
      legend.replaceChildren(el("li", {}, "0 %"), el("li", { class: "ramp", style: `background:linear-gradient(90deg,${RAMPS[state.colour].join(",")})` }), el("li", {}, "100 %"));
    } else {
      const items = [...colours].map(([i, hex]) => item(hex, className(i)));
      if (account.classes.length > colours.size) items.push(item(OTHER, "others"));
      if (state.colour === "known") items.push(item(OTHER, "not known"));
      legend.replaceChildren(...items);
    }
  }

  function update() {
    state.colour = colour.input.value;
    const chosen = only.input.value;
    const words = search.value.trim().toLowerCase();
    state.found.clear();
    let shown = 0;
    for (let i = 0; i < n; i++) {
      const fits = chosen === "" || points.predicted[i] === Number(chosen);
      state.visible[i] = fits ? 1 : 0;
      shown += fits ? 1 : 0;
      if (fits && words && state.found.size < 200 && points.ids[i].toLowerCase().includes(words)) state.found.add(i);
    }
    said.textContent = `${count(shown)} of ${count(n)} points` + (words ? `, ${plural(state.found.size, "name", "names")} found` : "");
    explain();
    draw();
  }

  colour.input.addEventListener("change", update);
  only.input.addEventListener("change", update);
  search.addEventListener("input", update);
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerdown", hover);
  canvas.addEventListener("pointerleave", hideTip);
  new ResizeObserver(draw).observe(canvas);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    window.matchMedia(query).addEventListener("change", draw);
  update();

  return el("div", {},
    el("div", { class: "controls" }, colour.node, only.node, el("label", {}, "Find a node", search)),
    el("div", { class: "map" }, canvas), legend, said);
}

function extent(values) {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return [most];
}

function select(label, options) {
  const input = el("select", {}, options.map(([value, name]) => el("option", { value }, name)));
  return { input, node: el("label", {}, label, input) };
}
