// What the payload says, by threshold index: i = 0 … S, rows with p < threshold are those below score[i].

const BOUND_UNIT = 1e9; // bounds arrive as whole billionths, rounded outward; −1 is undefined

function unpackColumn({ kind, is_delta, base64 }) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const types = { f64: Float64Array, i32: Int32Array, u8: Uint8Array, u16: Uint16Array };
  const stored = new types[kind](bytes.buffer);
  if (!is_delta) return stored;
  const sums = new Float64Array(stored.length);
  let sum = 0;
  for (let i = 0; i < stored.length; i += 1) sums[i] = sum += stored[i];
  return sums;
}

function unpackCounts(data) {
  const columns = Object.fromEntries(
    Object.entries(data.columns).map(([name, packed]) => [name, unpackColumn(packed)]),
  );
  const n_scores = columns.score.length;
  const n_below = columns.pos_below.map((n_pos, i) => n_pos + columns.neg_below[i]);
  return { ...columns, ...data.totals, n_scores, n_below, is_grid: data.is_grid };
}

// The one comparison rule: the first position whose value is not below the threshold.
export function firstNotBelow(values, threshold) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

// How many values lie at or below a limit, in an ascending array.
function countUpTo(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A threshold: its index, its number and its exact text; an empty zone has neither number nor text.
function thresholdAt(counts, index, zone) {
  const is_empty = zone === "neg" ? index === 0 : index === counts.n_scores;
  if (is_empty) return { index, value: null, text: null, is_exact: true };
  const value = counts.threshold[index];
  return { index, value, text: String(value), is_exact: true };
}

function thresholdFromText(counts, text, zone) {
  if (text === null) return thresholdAt(counts, zone === "neg" ? 0 : counts.n_scores, zone);
  const value = Number(text);
  const index = firstNotBelow(counts.score, value);
  const is_exact = !counts.is_grid || (index < counts.n_scores && value > counts.previous[index]);
  return { index, value, text, is_exact };
}

// Sensitivity and missed counts change only where a positive is passed: they are stored once per change.
function stepAt(counts, index) {
  return countUpTo(counts.step, index) - 1;
}

function countsAt(counts, neg, pos) {
  const skip_pos = counts.pos_below[neg];
  const skip_neg = counts.neg_below[neg];
  const look_pos = counts.pos_below[pos] - skip_pos;
  const look_neg = counts.neg_below[pos] - skip_neg;
  const alert_pos = counts.n_pos - counts.pos_below[pos];
  const alert_neg = counts.n_rows - counts.n_pos - counts.neg_below[pos];
  return {
    skip_pos, skip_neg, look_pos, look_neg, alert_pos, alert_neg,
    skip: skip_pos + skip_neg,
    look: look_pos + look_neg,
    alert: alert_pos + alert_neg,
  };
}
