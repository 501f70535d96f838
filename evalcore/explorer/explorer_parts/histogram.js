// The mirrored histogram: evidence up, no evidence down, each on its own scale, three zones, two handles.

const TICK_SPACE = 36; // px under the bars: ticks, and what they are
const MIN_BAR = 3; // px: a single row stays visible
const HEADROOM = 22; // px beyond the tallest bars, for captions and counts
const PILL = 18; // px: handles closer than this step apart
const ZONES = ["skip", "look", "alert"];

function makeHistogram(root) {
  const plot = root.querySelector('[data-part="plot"]');
  const svg = plot.querySelector("svg");
  const labels = ZONES.map((zone) => root.querySelector(`[data-zone="${zone}"]`));
  const handles = { neg: root.querySelector('[data-handle="neg"]'), pos: root.querySelector('[data-handle="pos"]') };
  const view = { plot, svg, labels, handles, axis: null, width: 0 };
  view.measure = makeTextMeasure(root);
  return view;
}

function makeTextMeasure(root) {
  const context = document.createElement("canvas").getContext("2d");
  const widths = new Map();
  return (node) => {
    const text = node.textContent;
    const key = text.replace(/\d/g, "0"); // numerals are of one width
    if (!widths.has(key)) {
      const style = getComputedStyle(node);
      context.font = `600 ${style.fontSize} ${style.fontFamily || getComputedStyle(root).fontFamily}`;
      widths.set(key, context.measureText(key).width);
    }
    return widths.get(key);
  };
}

// Draws everything that does not move with the handles; once per size, axis, data or scale of counts.
function drawHistogram(view, counts, axis, is_log) {
  const width = view.plot.clientWidth;
  const height = view.plot.clientHeight;
  const middle = Math.round((height - TICK_SPACE) / 2);
  const bottom = height - TICK_SPACE;
  Object.assign(view, { axis, width, height, middle });
  view.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);

  const zones = ZONES.map((zone) => svgNode("rect", { class: `zone ${zone}`, y: 0, height: bottom }));
  const clips = ZONES.map((zone) => {
    const clip = svgNode("clipPath", { id: `clip-${zone}` });
    clip.append(svgNode("rect", { y: 0, height: bottom }));
    return clip;
  });
  const bars = scaledBars(axis, middle - HEADROOM, bottom - middle - HEADROOM, is_log);
  const groups = ZONES.map((zone) => {
    const group = svgNode("g", { class: `bars ${zone}`, "clip-path": `url(#clip-${zone})` });
    for (const bar of bars) group.append(...barNodes(bar, width, middle));
    return group;
  });
  const lines = ["neg", "pos"].map(() => svgNode("line", { class: "threshold", y1: 0, y2: bottom }));
  view.svg.replaceChildren(
    ...clips,
    ...zones,
    ...groups,
    svgNode("line", { class: "base", x1: 0, x2: width, y1: middle, y2: middle }),
    ...lines, // beneath the words, which a handle would cross out
    ...plateauLabels(bars, width, middle, bottom),
    ...tickNodes(axis, width, bottom, bars),
    ...captions(counts, bars, width, bottom, axis, is_log),
  );
  view.moving = { zones, groups, clips: clips.map((clip) => clip.firstChild), lines };
}

function scaledBars(axis, up, down, is_log) {
  const size = is_log ? Math.log1p : (n) => n;
  const tallest = (bars, side) => Math.max(0, ...bars.map((bar) => bar[side]));
  const top = {
    pos: tallest(axis.bars, "pos") || tallest(axis.plateaus, "pos"),
    neg: tallest(axis.bars, "neg") || tallest(axis.plateaus, "neg"),
  };
  const length = (n, side, room) =>
    n > 0 ? Math.max(MIN_BAR, Math.min(1, size(n) / size(top[side])) * room) : 0;
  return [...axis.bars, ...axis.plateaus].map((bar) => ({
    ...bar,
    up: length(bar.pos, "pos", up),
    down: length(bar.neg, "neg", down),
    top,
  }));
}

function barNodes(bar, width, middle) {
  const gap = (bar.x1 - bar.x0) * width > 6 ? 1 : 0.25;
  const place = { x: bar.x0 * width + gap / 2, width: Math.max(0.5, (bar.x1 - bar.x0) * width - gap) };
  const nodes = [];
  if (bar.up) nodes.push(svgNode("rect", { class: "with", ...place, y: middle - bar.up, height: bar.up }));
  if (bar.down) nodes.push(svgNode("rect", { class: "without", ...place, y: middle, height: bar.down }));
  return nodes;
}

// A plateau may be cut at the plot's edge: its counts stand beyond its bar.
function plateauLabels(bars, width, middle, bottom) {
  const nodes = [];
  for (const bar of bars.filter(({ label }) => label !== undefined)) {
    const x = ((bar.x0 + bar.x1) / 2) * width;
    const is_left = bar.x0 === 0;
    const beyond = (y, n) =>
      svgNode(
        "text",
        { class: "count", x: is_left ? 1 : width - 1, y, "text-anchor": is_left ? "start" : "end" },
        countText(n),
      );
    if (bar.pos) nodes.push(beyond(middle - bar.up - 4, bar.pos));
    if (bar.neg) nodes.push(beyond(middle + bar.down + 12, bar.neg));
    nodes.push(svgNode("text", { class: "tick", x, y: bottom + 15, "text-anchor": "middle" }, bar.label));
  }
  return nodes;
}

function tickNodes(axis, width, bottom, bars) {
  const plateaus = bars.filter(({ label }) => label !== undefined);
  const taken = plateaus.map((bar) => ((bar.x0 + bar.x1) / 2) * width);
  const nodes = [];
  let last = -Infinity;
  for (const { x, text } of axis.ticks) {
    const at = x * width;
    const room = 10 + 3.3 * text.length;
    if (at - last < 2 * room - 8 || taken.some((other) => Math.abs(other - at) < room + 4)) continue;
    if (at < 4 || at > width - 4 || plateaus.some(({ label }) => label === text)) continue;
    last = at;
    nodes.push(svgNode("line", { class: "tick-mark", x1: at, x2: at, y1: bottom, y2: bottom + 4 }));
    nodes.push(svgNode("text", { class: "tick", x: at, y: bottom + 15, "text-anchor": "middle" }, text));
  }
  return nodes;
}

function captions(counts, bars, width, bottom, axis, is_log) {
  const n_neg = counts.n_rows - counts.n_pos;
  const tail = (side) => {
    if (axis.kind === "rank" || !bars.length || bars[0].top[side] === 0) return "";
    return ` · tallest bar ${countText(bars[0].top[side])}${is_log ? ", log scale" : ""}`;
  };
  const is_narrow = width < 460;
  const text = (name, n, side) => `${name} · ${countText(n)} checks${is_narrow ? "" : tail(side)}`;
  return [
    svgNode("text", { class: "tick", x: width / 2, y: bottom + 31, "text-anchor": "middle" }, "low ← score of the model → high"),
    svgNode("text", { class: "caption with", x: width * 0.06, y: 15 }, text("with evidence", counts.n_pos, "pos")),
    svgNode(
      "text",
      { class: "caption without", x: width - 12, y: bottom - 6, "text-anchor": "end" },
      text("without", n_neg, "neg"),
    ),
  ];
}

// What moves with the handles.
function moveHistogram(view, counts, point, at) {
  const { width, middle } = view;
  const x_neg = view.axis.edges[point.neg.index] * width;
  const x_pos = Math.max(x_neg, view.axis.edges[point.pos.index] * width);
  const spans = [[0, x_neg], [x_neg, x_pos], [x_pos, width]];
  spans.forEach(([from, to], i) => {
    for (const rect of [view.moving.zones[i], view.moving.clips[i]]) {
      setAttribute(rect, "x", from);
      setAttribute(rect, "width", Math.max(0, to - from));
    }
  });
  // A handle inside a bar cuts it by width, whatever lies on either side: a zone without rows shows none.
  const inside = [[at.skip_pos, at.skip_neg], [at.look_pos, at.look_neg], [at.alert_pos, at.alert_neg]];
  view.moving.groups.forEach((group, i) => {
    setAttribute(group, "data-lacks-with", inside[i][0] === 0);
    setAttribute(group, "data-lacks-without", inside[i][1] === 0);
  });
  const step_apart = x_pos - x_neg < PILL ? 22 : 0;
  [["neg", x_neg, step_apart], ["pos", x_pos, -step_apart]].forEach(([side, x, shift], i) => {
    setAttribute(view.moving.lines[i], "x1", x);
    setAttribute(view.moving.lines[i], "x2", x);
    view.handles[side].style.transform = `translate(${x}px, ${middle + shift}px)`;
  });
  const n = [at.skip, at.look, at.alert];
  const is_known = point.neg.is_exact && point.pos.is_exact;
  view.labels.forEach((label, i) => {
    write(label.lastElementChild, is_known ? `${countText(n[i])} · ${percentText(n[i], counts.n_rows)}` : "…");
  });
  placeLabels(view, spans);
}

// Each label over the middle of its zone, pushed aside where zones are narrower than their labels.
function placeLabels(view, spans) {
  const half = view.labels.map((label) => view.measure(label) / 2 + 5);
  const x = spans.map(([from, to]) => (from + to) / 2);
  const room = half.reduce((sum, one) => sum + 2 * one, 0);
  setClass(view.plot.parentNode, "is-tight", room > view.width);
  if (room > view.width) return;
  x[0] = Math.max(x[0], half[0]);
  x[2] = Math.min(x[2], view.width - half[2]);
  x[1] = Math.max(x[1], x[0] + half[0] + half[1]);
  x[2] = Math.max(x[2], x[1] + half[1] + half[2]);
  x[2] = Math.min(x[2], view.width - half[2]);
  x[1] = Math.min(x[1], x[2] - half[1] - half[2]);
  x[0] = Math.min(x[0], x[1] - half[0] - half[1]);
  view.labels.forEach((label, i) => {
    label.style.transform = `translateX(${Math.round(x[i] - half[i] + 5)}px)`;
  });
}
