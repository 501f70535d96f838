// Where scores stand across the plot (0 = left edge, 1 = right edge), and the bars over them.

const PLATEAU_SHARE = 0.01; // on a linear axis, so many rows at exactly 0 or 1 get a bar of their own
const PLATEAU_WIDTH = 0.04;
const PLATEAU_GAP = 0.018;
const TAIL_SHARE = 0.01; // of all rows, and of the positives; what lies beyond is drawn in the outermost bar
const LOGIT_TICKS = [
  1e-6, 1e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.997, 0.999, 0.9997, 0.9999,
];

function logit(p) {
  return Math.log(p) - Math.log1p(-p);
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

function makeAxis(counts, kind, n_bins) {
  return kind === "rank" ? rankAxis(counts, n_bins) : valueAxis(counts, kind, n_bins);
}

// Logit or linear: bars of equal width in axis units, plateaus at exactly 0 and 1 apart.
function valueAxis(counts, kind, n_bins) {
  const { score, n_scores } = counts;
  const rowsAt = (i) => counts.n_below[i + 1] - counts.n_below[i];
  const isPlateau = (i) => kind === "logit" || rowsAt(i) >= PLATEAU_SHARE * counts.n_rows;
  const has_zero = n_scores > 0 && score[0] === 0 && isPlateau(0);
  const has_one = n_scores > 1 && score[n_scores - 1] === 1 && isPlateau(n_scores - 1);
  const first = has_zero ? 1 : 0;
  const last = has_one ? n_scores - 2 : n_scores - 1;
  const left = has_zero ? PLATEAU_WIDTH + PLATEAU_GAP : 0;
  const right = has_one ? 1 - PLATEAU_WIDTH - PLATEAU_GAP : 1;
  const scale = valueScale(counts, kind, first, last);
  const inside = (value) => left + (right - left) * clamp(scale.fraction(value), 0, 1);

  const bars = Array.from({ length: n_bins }, (_, i) => ({
    x0: left + ((right - left) * i) / n_bins,
    x1: left + ((right - left) * (i + 1)) / n_bins,
    pos: 0,
    neg: 0,
  }));
  for (let i = first; i <= last; i += 1) {
    const bin = Math.min(n_bins - 1, Math.floor(clamp(scale.fraction(score[i]), 0, 1) * n_bins));
    addScore(bars[bin], counts, i);
  }
  const plateaus = [];
  if (has_zero) plateaus.push(addScore({ x0: 0, x1: PLATEAU_WIDTH, pos: 0, neg: 0, label: "0" }, counts, 0));
  if (has_one) {
    plateaus.push(addScore({ x0: 1 - PLATEAU_WIDTH, x1: 1, pos: 0, neg: 0, label: "1" }, counts, n_scores - 1));
  }

  // A threshold stands where its own value does; one that takes in a plateau stands beside the plateau's bar.
  const edges = new Float64Array(n_scores + 1);
  for (let i = 1; i < n_scores; i += 1) edges[i] = inside(counts.threshold[i]);
  if (has_zero && n_scores > 1) edges[1] = Math.min(edges[1], PLATEAU_WIDTH + PLATEAU_GAP / 2);
  if (has_one) edges[n_scores - 1] = 1 - PLATEAU_WIDTH - PLATEAU_GAP / 2;
  edges[n_scores] = 1;
  for (let i = 1; i <= n_scores; i += 1) edges[i] = Math.max(edges[i], edges[i - 1]);
  return { kind, bars, plateaus, edges, ticks: scale.ticks.map(({ value, text }) => ({ x: inside(value), text })) };
}

function addScore(bar, counts, i) {
  bar.pos += counts.pos_below[i + 1] - counts.pos_below[i];
  bar.neg += counts.neg_below[i + 1] - counts.neg_below[i];
  return bar;
}

function valueScale(counts, kind, first, last) {
  const { score } = counts;
  if (last < first) return { fraction: () => 0.5, ticks: [] };
  if (kind === "linear") {
    const is_unit = score[0] >= 0 && score[counts.n_scores - 1] <= 1;
    const low = is_unit ? 0 : score[first];
    const high = is_unit ? 1 : score[last];
    const ticks = evenTicks(low, high).map((value) => ({ value, text: tickText(value) }));
    return { fraction: (value) => (high > low ? (value - low) / (high - low) : 0.5), ticks };
  }
  const [low, high] = logitRange(counts, first, last);
  const ticks = LOGIT_TICKS.filter((p) => logit(p) >= low && logit(p) <= high);
  return {
    fraction: (value) => (value <= 0 ? 0 : value >= 1 ? 1 : (logit(value) - low) / (high - low)),
    ticks: ticks.map((value) => ({ value, text: tickText(value) })),
  };
}

// The logits between which nearly all rows, and nearly all positives, lie.
function logitRange({ score, n_below, pos_below }, first, last) {
  const atShare = (below, share) => {
    const start = below[first];
    const n_inside = below[last + 1] - start;
    const rank = start + Math.min(n_inside - 1, Math.floor(share * n_inside));
    return score[clamp(countUpTo(below, rank) - 1, first, last)];
  };
  const classes = [n_below, pos_below].filter((below) => below[last + 1] > below[first]);
  const low = Math.min(...classes.map((below) => atShare(below, TAIL_SHARE)));
  const high = Math.max(...classes.map((below) => atShare(below, 1 - TAIL_SHARE)));
  return [logit(clamp(low, 1e-6, 0.4)), logit(clamp(high, 0.6, 1 - 1e-6))];
}

function tickText(value) {
  return String(value).replaceAll("-", "−");
}

function evenTicks(low, high) {
  const rough = (high - low) / 8 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

// Rank: every row takes the same width, lowest score first; a bar's height is its rows per unit of width.
function rankAxis(counts, n_bins) {
  const edges = counts.n_below.map((n) => n / counts.n_rows);
  const bars = [];
  for (let i = 0; i < counts.n_scores; i += 1) {
    const current = bars.at(-1);
    const is_full = !current || (current.x1 - current.x0) * n_bins >= 1;
    if (is_full) bars.push({ x0: edges[i], x1: edges[i], pos: 0, neg: 0 });
    addScore(bars.at(-1), counts, i);
    bars.at(-1).x1 = edges[i + 1];
  }
  for (const bar of bars) {
    const slices = Math.max(1, (bar.x1 - bar.x0) * n_bins);
    bar.pos /= slices;
    bar.neg /= slices;
  }
  const ticks = [];
  for (let tenth = 1; tenth < 10; tenth += 1) {
    const i = clamp(countUpTo(edges, tenth / 10) - 1, 0, counts.n_scores - 1);
    ticks.push({ x: tenth / 10, text: tickText(Number(counts.score[i].toPrecision(2))) });
  }
  return { kind: "rank", bars, plateaus: [], edges, ticks };
}

// The threshold index whose edge is nearest; where several share it, the first.
function nearestIndex(edges, x) {
  const after = firstNotBelow(edges, x);
  if (after === 0) return 0;
  if (after === edges.length) return firstNotBelow(edges, edges[edges.length - 1]);
  const before = firstNotBelow(edges, edges[after - 1]);
  return x - edges[before] <= edges[after] - x ? before : after;
}
