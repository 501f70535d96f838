// Small helpers that touch the page only where something changed.

const SVG = "http://www.w3.org/2000/svg";

function svgNode(name, attributes = {}, text = null) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  return node;
}

// A number and its % stand on one line.
function joined(text) {
  return String(text).replaceAll(/(?<=\d) %/g, "\u00a0%");
}

function write(node, text) {
  if (node.shown === text) return;
  node.shown = text;
  node.textContent = joined(text);
}

function setAttribute(node, name, value) {
  const text = String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

function setClass(node, name, is_on) {
  if (node.classList.contains(name) !== is_on) node.classList.toggle(name, is_on);
}

// Text with **bold** parts, as nodes: what it contains is never read as HTML.
function writeRich(node, parts) {
  const key = JSON.stringify(parts);
  if (node.shown === key) return;
  node.shown = key;
  node.replaceChildren(
    ...parts.map((part) => {
      if (typeof part === "string") return document.createTextNode(joined(part));
      const bold = document.createElement("b");
      bold.textContent = joined(part.bold);
      return bold;
    }),
  );
}
