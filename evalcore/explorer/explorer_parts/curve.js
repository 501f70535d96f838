// The mini trade-off curve: share of the evidence kept against share of checks somebody looks at.

const CURVE = { height: 152, left: 42, right: 10, top: 10, bottom: 36, floor: 0.9 };

function makeCurve(root) {
  const svg = root.querySelector('[data-part="curve"]');
  return { svg, marker: null, x: null };
}

function curveY(sensitivity) {
  const share = (clamp(sensitivity, CURVE.floor, 1) - CURVE.floor) / (1 - CURVE.floor);
  return CURVE.height - CURVE.bottom - share * (CURVE.height - CURVE.top - CURVE.bottom);
}

function drawCurve(view, counts, targets) {
  const width = view.svg.clientWidth;
  const curveX = (share) => CURVE.left + share * (width - CURVE.left - CURVE.right);
  view.x = curveX;
  view.svg.setAttribute("viewBox", `0 0 ${width} ${CURVE.height}`);
  const nodes = [];
  const target = targets.sensitivity;
  if (target > CURVE.floor) {
    nodes.push(
      svgNode("rect", {
        class: "reached",
        x: curveX(0), width: curveX(1) - curveX(0),
        y: curveY(1), height: curveY(target) - curveY(1),
      }),
    );
  }
  for (const share of [1, 0.95, 0.9]) {
    nodes.push(svgNode("text", { class: "tick", x: CURVE.left - 8, y: curveY(share) + 4, "text-anchor": "end" }, `${100 * share} %`));
    nodes.push(svgNode("line", { class: "grid", x1: curveX(0), x2: curveX(1), y1: curveY(share), y2: curveY(share) }));
  }
  const foot = CURVE.height - CURVE.bottom;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const anchor = share === 1 ? "end" : "middle";
    nodes.push(svgNode("text", { class: "tick", x: curveX(share) + (share === 1 ? 8 : 0), y: foot + 14, "text-anchor": anchor }, `${100 * share} %`));
  }
  nodes.push(svgNode("text", { class: "tick", x: curveX(0.5), y: foot + 30, "text-anchor": "middle" }, "share of checks somebody looks at"));
  nodes.push(svgNode("path", { class: "path", d: curvePath(counts, curveX) }));
  if (target > CURVE.floor) {
    nodes.push(svgNode("line", { class: "target", x1: curveX(0), x2: curveX(1), y1: curveY(target), y2: curveY(target) }));
    nodes.push(svgNode("text", { class: "tick", x: curveX(0) + 4, y: curveY(target) + 13 }, `target ${targetText(target)}`));
  }
  view.marker = svgNode("circle", { class: "marker", r: 5.5 });
  view.svg.replaceChildren(...nodes, view.marker);
}

// One corner per passed positive: the curve is a staircase.
function curvePath(counts, curveX) {
  if (counts.n_pos === 0) return "";
  const parts = [];
  const indices = [...counts.step, counts.n_scores];
  for (const index of indices) {
    const x = curveX(1 - counts.n_below[index] / counts.n_rows);
    const before = 1 - (index > 0 ? counts.pos_below[index - 1] : 0) / counts.n_pos;
    const after = 1 - counts.pos_below[index] / counts.n_pos;
    parts.push(`${parts.length ? "L" : "M"}${x.toFixed(1)} ${curveY(before).toFixed(1)}`);
    if (after < CURVE.floor) break;
    parts.push(`L${x.toFixed(1)} ${curveY(after).toFixed(1)}`);
  }
  return parts.join("");
}

function moveCurve(view, counts, point) {
  const index = point.neg.index;
  const kept = counts.n_pos ? 1 - counts.pos_below[index] / counts.n_pos : 0;
  setAttribute(view.marker, "cx", view.x(1 - counts.n_below[index] / counts.n_rows));
  setAttribute(view.marker, "cy", curveY(kept));
  setClass(view.marker, "is-below", kept < CURVE.floor);
  const workload = percentText(counts.n_rows - counts.n_below[index], counts.n_rows);
  const sensitivity = percentText(counts.n_pos - counts.pos_below[index], counts.n_pos);
  setAttribute(view.svg, "aria-label", `Sensitivity against workload: ${sensitivity} of the evidence is kept when ${workload} of the checks are looked at.`);
}

// The threshold index whose workload is nearest to a click.
function indexOnCurve(view, counts, event) {
  const x = event.clientX - view.svg.getBoundingClientRect().left;
  const share = clamp((x - view.x(0)) / (view.x(1) - view.x(0)), 0, 1);
  return nearestIndex(counts.n_below, (1 - share) * counts.n_rows);
}
