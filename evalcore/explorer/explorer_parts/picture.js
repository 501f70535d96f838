// The histogram as a file: what stands on the screen, in the colours of white paper, made here without a request.

const SHARPNESS = 3; // pixels of a PNG for each of the page
const HEAD = 66; // px above the plot: two lines of words, the names of the zones
const NARROWEST = 480; // px; a figure of a phone keeps its bars and gets room for its words
const ON_PAPER = { "--ink": "#1f2937", "--paper": "#ffffff" };
const PAINTS = ["fill", "stroke"];
const MEASURES = ["stroke-width", "stroke-opacity", "paint-order", "font-size", "font-weight"];

async function savePicture(root, view, format, lines, name) {
  const { text, width, height } = pictureText(root, view, lines);
  if (format === "svg") return saveFile(`${name}.svg`, text, "image/svg+xml");
  const image = new Image();
  const is_loaded = new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject }));
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await is_loaded;
  const canvas = document.createElement("canvas");
  canvas.width = width * SHARPNESS;
  canvas.height = height * SHARPNESS;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return saveFile(`${name}.png`, await new Promise((done) => canvas.toBlob(done, "image/png")), "image/png");
}

function pictureText(root, view, lines) {
  const height = view.height + HEAD;
  const width = Math.max(NARROWEST, view.width);
  const picture = svgNode("svg", { width, height, viewBox: `0 ${-HEAD} ${width} ${height}` });
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  for (const [key, colour] of Object.entries(ON_PAPER)) root.style.setProperty(key, colour);
  try {
    const { fontFamily } = getComputedStyle(root);
    picture.setAttribute("font-family", fontFamily);
    picture.append(svgNode("rect", { y: -HEAD, width, height, fill: ON_PAPER["--paper"] }));
    picture.append(svgNode("title", {}, lines.join("; ")));
    picture.append(...headOf(lines, view));
    picture.append(...copyOf(view.svg));
  } finally {
    root.dataset.theme = theme;
    for (const key of Object.keys(ON_PAPER)) root.style.removeProperty(key);
  }
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

function headOf(lines, view) {
  const ink = { fill: ON_PAPER["--ink"] };
  const left = view.plot.getBoundingClientRect().left;
  const told = lines.map((line, i) =>
    svgNode("text", { ...ink, x: 4, y: 16 + 17 * i - HEAD, "font-size": 13, "font-weight": i === 0 ? 600 : 400 }, line),
  );
  const zones = view.labels.map((label) => {
    const { fontSize } = getComputedStyle(label);
    const x = label.getBoundingClientRect().left - left;
    return svgNode("text", { ...ink, x, y: -8, "font-size": fontSize }, label.textContent);
  });
  return [...told, ...zones];
}

// A copy of what is drawn that looks the same without the style of the page.
function copyOf(svg) {
  const copy = svg.cloneNode(true);
  const nodes = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(nodes[i]);
    for (const name of PAINTS) setPaint(node, name, style[name]);
    for (const name of MEASURES) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  });
  return copy.childNodes;
}

const known_colours = new Map();

// Mixed colours are written as every program that shows an SVG reads them.
function setPaint(node, name, colour) {
  if (!known_colours.has(colour)) known_colours.set(colour, colour === "none" ? ["none", 1] : asRgb(colour));
  const [solid, opacity] = known_colours.get(colour);
  node.setAttribute(name, solid);
  if (opacity < 1) node.setAttribute(`${name}-opacity`, opacity);
}

function asRgb(colour) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return [`rgb(${red}, ${green}, ${blue})`, Math.round((1000 * alpha) / 255) / 1000];
}
