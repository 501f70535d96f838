// Beneath every figure two buttons that save it as PNG or SVG, as it looks on white paper.

const FORMATS = ["png", "svg"];
const CHARTS = '[data-testid="stPlotlyChart"]';
const NARROW = 300; // px; up to here a figure is one of many and keeps its width
const WIDTH = 720; // px; a figure of a phone is drawn anew with room for its words
const SHARP = 3; // pixels of a PNG for each of the page

export default function figureFiles({ data }) {
  const offer = () => {
    waits = 0;
    for (const chart of document.querySelectorAll(CHARTS)) {
      // The figure says what it shows; its drawings say ticks and names without order.
      chart.querySelectorAll("svg.main-svg").forEach((one) => one.setAttribute("aria-hidden", "true"));
      if (chart.lastElementChild?.className !== "figure-files") chart.append(buttons(chart, data.on_white));
    }
  };
  let waits = requestAnimationFrame(offer);
  const watch = new MutationObserver(() => (waits ||= requestAnimationFrame(offer)));
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    cancelAnimationFrame(waits);
    document.querySelectorAll(".figure-files").forEach((one) => one.remove());
  };
}

function buttons(chart, on_white) {
  chart.querySelectorAll(":scope > .figure-files").forEach((one) => one.remove());
  const box = document.createElement("div");
  box.className = "figure-files";
  for (const format of FORMATS) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.ariaLabel = `Save this figure as ${button.textContent}`;
    button.addEventListener("click", () => save(chart, format, on_white));
    box.append(button);
  }
  return box;
}

// plotly.js saves what it is given at the click on its own button, which is there and not shown.
function save(chart, format, on_white) {
  const figure = chart.querySelector(".js-plotly-plot");
  const button = figure?.querySelector(".modebar-btn");
  if (!button) return;
  const { data, layout, _context: context } = figure;
  const options = context.toImageButtonOptions;
  const { width, height } = figure.getBoundingClientRect();
  figure.data = inColours(data, on_white);
  figure.layout = { ...inColours(layout, on_white), paper_bgcolor: "#ffffff", plot_bgcolor: "#ffffff" };
  context.toImageButtonOptions = {
    ...options,
    format,
    height: Math.round(height),
    width: width <= NARROW ? Math.round(width) : Math.max(WIDTH, Math.round(width)),
    scale: format === "png" ? SHARP : 1,
  };
  try {
    button.click();
  } finally {
    [figure.data, figure.layout, context.toImageButtonOptions] = [data, layout, options];
  }
}

// A copy of what describes a figure, with every colour of a dark page exchanged for that of a light one.
function inColours(part, on_white) {
  if (typeof part === "string") {
    return Object.entries(on_white).reduce((text, [dark, light]) => text.replaceAll(dark, light), part);
  }
  if (Array.isArray(part)) return part.map((one) => inColours(one, on_white));
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, inColours(one, on_white)]));
}
