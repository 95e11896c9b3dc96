"use strict";
// Elements, words for numbers, and the tooltip. Text only ever becomes text, never markup.

const account = JSON.parse(document.getElementById("account").textContent);

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const el = (name, attributes = {}, ...children) =>
  make(document.createElement(name), attributes, children);

const svg = (name, attributes = {}, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const grouped = new Intl.NumberFormat("en");
const count = (n) => grouped.format(n);
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const range = (interval) =>
  `${(100 * interval.low).toFixed(1)}–${(100 * interval.high).toFixed(1)} %`;
const className = (i) => (i >= 0 && i < account.classes.length ? account.classes[i] : "–");

// The tooltip follows the pointer over whatever has a data-tip.
const tip = document.getElementById("tip");

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(x + 14, document.documentElement.clientWidth - box.width - 6);
  const above = y + 18 + box.height > window.innerHeight;
  tip.style.left = `${Math.max(6, left)}px`;
  tip.style.top = `${above ? Math.max(6, y - box.height - 12) : y + 18}px`;
}

function hideTip() {
  tip.hidden = true;
}

document.addEventListener("pointermove", (event) => {
  const told = event.target.closest ? event.target.closest("[data-tip]") : null;
  if (told) showTip(told.getAttribute("data-tip"), event.clientX, event.clientY);
  else if (!(event.target instanceof HTMLCanvasElement)) hideTip();
});
document.addEventListener("scroll", hideTip, { passive: true });
