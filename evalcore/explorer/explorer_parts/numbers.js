// Numbers as text. Estimates round to nearest but never onto a target they miss; bounds round outward.

const MAX_PLACES = 6;
const UNDEFINED = "n/a";

export function countText(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// x/n in units of 10^-places, half up, in whole numbers throughout.
function roundedShare(x, n, places) {
  const doubled = 2 * x * 10 ** places + n;
  return (doubled - (doubled % (2 * n))) / (2 * n);
}

function fixed(units, places) {
  if (places === 0) return countText(units);
  const digits = String(units).padStart(places + 1, "0");
  return `${countText(digits.slice(0, -places))}.${digits.slice(-places)}`;
}

// 100·x/n as `evalcore.text.numerals` writes it: one place, two within a percent of 0 or 100; more where fewer would put it
// onto, or beyond, a target it misses, 0 or 100.
export function percentText(x, n, target = null) {
  if (n === 0) return UNDEFINED;
  if (x === 0 || x === n) return x ? "100 %" : "0 %";
  let used = Math.max(100 * x < n || 100 * x > 99 * n ? 2 : 1, target === null ? 0 : placesOf(target));
  const is_honest = () => {
    const share = roundedShare(x, n, used + 2) / 10 ** (used + 2);
    const reads_as_all = share === 1 && x < n;
    const reads_as_none = share === 0 && x > 0;
    return !reads_as_all && !reads_as_none && (target === null || share >= target === x / n >= target);
  };
  while (used < MAX_PLACES && !is_honest()) used += 1;
  return `${fixed(roundedShare(x, n, used + 2), used)} %`;
}

// `per` · x/n with so many places, for example missed checks per 1,000.
export function rateText(x, n, per, places) {
  if (n === 0) return UNDEFINED;
  let used = places;
  while (used < MAX_PLACES && x > 0 && roundedShare(x * per, n, used) === 0) used += 1;
  return fixed(roundedShare(x * per, n, used), used);
}

// A bound in billionths, times 10^shift, rounded outward to so many places.
export function boundText(billionths, shift, places, side) {
  if (billionths < 0) return UNDEFINED;
  const unit = 10 ** (9 - shift - places);
  const inside = billionths - (billionths % unit);
  const outward = side === "high" && inside < billionths ? inside + unit : inside;
  return fixed(Math.round(outward / unit), places);
}

// A bound of a share in billionths as a percentage with the places of `percentText`, without its sign.
export function percentBound(billionths, side) {
  if (billionths < 0) return UNDEFINED;
  const text = boundText(billionths, 2, 100 * billionths < BOUND_UNIT || 100 * billionths > 99 * BOUND_UNIT ? 2 : 1, side);
  return /^(0|100)\.0+$/.test(text) ? text.split(".")[0] : text;
}

export function percentInterval(low, high) {
  return low < 0 ? UNDEFINED : `${percentBound(low, "low")}–${percentBound(high, "high")} %`;
}

// A number between 0 and `full` that is no plain share of counts; never onto either end unless it is there.
export function approximateText(value, places, full) {
  let used = places;
  const readsAsEnd = () => {
    const shown = Number(value.toFixed(used));
    return (shown === 0 && value > 0) || (shown === full && value < full);
  };
  while (used < MAX_PLACES && readsAsEnd()) used += 1;
  return value.toFixed(used);
}

// The same of a percentage.
export function approximatePercent(value) {
  return value === 0 || value === 100 ? String(value) : approximateText(value, value < 1 || value > 99 ? 2 : 1, 100);
}

// A target as it was set: 0.995 is "99.5 %".
export function targetText(share) {
  return `${Number((100 * share).toPrecision(12))} %`;
}

export function placesOf(share) {
  return (String(Number((100 * share).toPrecision(12))).split(".")[1] ?? "").length;
}

// Whole numbers per `total` that add up to it: the largest remainders are rounded up.
export function partsOf(total, counts) {
  const n = counts.reduce((sum, count) => sum + count, 0);
  if (n === 0) return counts.map(() => 0);
  const parts = counts.map((count) => (count * total - ((count * total) % n)) / n);
  const left = total - parts.reduce((sum, part) => sum + part, 0);
  counts
    .map((count, i) => ({ i, rest: (count * total) % n }))
    .sort((a, b) => b.rest - a.rest || a.i - b.i)
    .slice(0, left)
    .forEach(({ i }) => (parts[i] += 1));
  return parts;
}

const TYPED_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// What somebody typed into a box: {text} (null for an empty box) or {fault}.
export function readThreshold(typed, is_probability) {
  const text = typed.trim().replace(/^([+-]?\d*),(\d+)$/, "$1.$2").replace("−", "-");
  if (text === "" || text.toLowerCase() === "none") return { text: null };
  const value = Number(text);
  if (!TYPED_NUMBER.test(text) || !Number.isFinite(value)) return { fault: `“${typed.trim()}” is not a number.` };
  if (is_probability && (value < 0 || value > 1)) return { fault: `${text} is not between 0 and 1.` };
  return { text };
}
