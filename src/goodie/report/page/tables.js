// Tables: plain ones, and one that sorts, filters and shows more on demand.

// columns: [{ title, value: row => number or string, text: row => string, number: bool }]
function cell(column, row, first) {
  const text = column.text ? column.text(row) : String(column.value(row));
  if (first) return el("th", { scope: "row", class: column.number ? "number" : null }, text);
  return el("td", { class: column.number ? "number" : "name" }, text);
}

const lines = (columns, rows) =>
  rows.map((row) => el("tr", {}, columns.map((column, i) => cell(column, row, i === 0))));

function plainTable(caption, columns, rows) {
  const heads = columns.map((column) =>
    el("th", { scope: "col", class: column.number ? "number" : null }, column.title));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads)),
      el("tbody", {}, lines(columns, rows))));
}

// A chart's numbers, for those who do not see it.
const asTable = (caption, columns, rows) =>
  el("details", {}, el("summary", {}, "As a table"), plainTable(caption, columns, rows));

function compare(a, b) {
  if (a === null) return b === null ? 0 : 1;  // what is not known comes last
  if (b === null) return -1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

// Returns { node, filter(predicate) }.
function sortedTable(caption, columns, rows, { by = null, step = 25 } = {}) {
  let order = by;  // { column, descending }
  let kept = () => true;
  let shown = step;
  const body = el("tbody");
  const said = el("p", { class: "count", role: "status" });
  said.hidden = rows.length <= step;  // nothing is ever left out
  const more = el("button", { type: "button", class: "more-rows" }, "Show more");

  const heads = columns.map((column, i) => {
    const head = el("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": "none" });
    const button = el("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      order = { column: i, descending: order && order.column === i ? !order.descending : false };
      draw();
    });
    head.append(button);
    return head;
  });

  function draw() {
    const left = rows.filter(kept);
    if (order) {
      const { value } = columns[order.column];
      left.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const unknown = x === null || y === null;
        return compare(x, y) * (order.descending && !unknown ? -1 : 1);
      });
    }
    heads.forEach((head, i) => head.setAttribute("aria-sort",
      order && order.column === i ? (order.descending ? "descending" : "ascending") : "none"));
    body.replaceChildren(...lines(columns, left.slice(0, shown)));
    said.textContent = `${count(Math.min(shown, left.length))} of ${count(left.length)} shown`;
    more.hidden = left.length <= shown;
  }

  more.addEventListener("click", () => {
    shown += 4 * step;
    draw();
  });
  draw();
  const node = el("div", {},
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body)),
    said, more);
  const filter = (predicate) => {
    kept = predicate;
    shown = step;
    draw();
  };
  return { node, filter };
}
