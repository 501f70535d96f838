// More rates of the same counts, one press from the tiles.

// The share of the skipped without evidence is no lower than this: as missed per 1,000 it rests on the bound of the
// sensitivity, in billionths and rounded outward.
export function npvBound(missed_high, n_rows, n_skipped) {
  if (n_skipped === 0 || missed_high < 0) return -1;
  return Math.max(0, Math.floor(BOUND_UNIT - (missed_high * n_rows) / n_skipped));
}

function updateRates(root, data, counts, index, at) {
  const cell = (name, text) => write(root.querySelector(`[data-rate="${name}"]`), text);
  const zones = (side, n) => ["skip", "look", "alert"].map((zone) => `${zone} ${percentText(at[`${zone}_${side}`], n)}`).join(" · ");
  const n_neg = counts.n_rows - counts.n_pos;
  cell("with", zones("pos", counts.n_pos));
  cell("without", zones("neg", n_neg));
  cell("alert-recall", `${percentText(at.alert_pos, counts.n_pos)} · ${countText(at.alert_pos)} of ${countText(counts.n_pos)}`);
  cell("reviews", at.alert_pos ? `${approximateText(at.alert / at.alert_pos, 2, Infinity)} · ${countText(at.alert)} for ${countText(at.alert_pos)}` : UNDEFINED);
  cell("alerts", `${rateText(at.alert, counts.n_rows, 1000, 1)} of 1,000 checks`);
  if (at.skip === 0) {
    cell("npv", `${UNDEFINED}, nothing is skipped`);
    return;
  }
  const bound = counts.n_pos ? npvBound(counts.missed_high[stepAt(counts, index)], counts.n_rows, at.skip) : -1;
  const least = bound < 0 ? "" : ` · at least ${percentBound(bound, "low")} %, one-sided ${targetText(data.targets.sensitivity_confidence)}`;
  cell("npv", `${percentText(at.skip_neg, at.skip)}${least}`);
}
