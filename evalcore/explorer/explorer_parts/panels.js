// Tiles, sentence, table and what-ifs: each looks its numbers up at the two threshold indices.

const WAITING = "…";
const TONE = {
  met_with_confidence: "met",
  met_point_only: "point",
  infeasible_with_this_n: "point",
  not_met: "missed",
  not_assessed: "plain",
};
const MARK = { met: "●", point: "◐", missed: "○", plain: "–" };
const REACHED_WHERE_CHOSEN = {
  tune: "the bound reaches it on tune; test must confirm",
  all: "the bound reaches it on all rows; other rows must confirm",
};
const REACHED = ["met_with_confidence", "met_point_only", "infeasible_with_this_n"];
const COIN = 0.5; // keeps each check with this chance

function makePanels(root) {
  const tile = (name) => {
    const node = root.querySelector(`[data-tile="${name}"]`);
    return {
      value: node.querySelector(".value"),
      test: node.querySelector(".value.test"),
      details: [...node.querySelectorAll(".detail")],
      chip: node.querySelector(".chip"),
    };
  };
  const row = (name) => [...root.querySelectorAll(`[data-row="${name}"] td`)];
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  return {
    tiles: Object.fromEntries(["sensitivity", "workload", "missed", "precision"].map((name) => [name, tile(name)])),
    rows: { evidence: row("evidence"), none: row("none"), share: row("share") },
    sentence: part("sentence"),
    prevalence: part("prevalence"),
    prevalence_value: part("prevalence-value"),
    prevalence_result: part("prevalence-result"),
    reviewer: part("reviewer"),
    reviewer_value: part("reviewer-value"),
    reviewer_result: part("reviewer-result"),
    counted_on: [...root.querySelectorAll('[data-part="counted-on"]')],
  };
}

function writeTile(tile, value, details, chip) {
  write(tile.value, value);
  details.forEach((text, i) => write(tile.details[i], text));
  tile.chip.hidden = chip === null;
  if (chip === null) return;
  write(tile.chip, `${chip.mark} ${chip.text}`.trim());
  setAttribute(tile.chip, "title", chip.text);
  setClass(tile.chip, "of-group", chip.is_of_group === true);
  if (tile.chip.dataset.tone !== chip.tone) tile.chip.dataset.tone = chip.tone;
}

// The verdict of the rows that are counted here; at the tested thresholds that of the test rows.
function targetChip(data, name, verdict_code, on_test, is_within, is_without_model = false) {
  const aim = `target ≥ ${targetText(data.targets[name])}`;
  if (on_test) {
    const text = `${on_test.words} on test: ${aim}`;
    return { mark: MARK[on_test.tone], tone: on_test.tone, text, is_of_group: true }; // it may name a group
  }
  const verdict = data.verdicts[verdict_code];
  const words = `${data.words[name][verdict_code]}${verdict === "not_met" && is_within ? ", may still hold" : ""}`;
  const is_reached = REACHED.includes(verdict) && is_without_model;
  const tone = is_reached ? "plain" : TONE[verdict];
  const also = is_reached ? ", also without the model" : "";
  return { mark: MARK[tone], tone, text: `${words} on ${data.counted_on}${also}: ${aim}` };
}

// As in evalcore.operating_point.choosing.without_model: a rule that uses no score meets the target as well.
function isMetWithoutModel(data, counts, name, at) {
  const target = data.targets[name];
  if (name === "precision") return counts.n_pos / counts.n_rows >= target;
  return at.skip > 0 && (target <= COIN || (counts.n_rows - at.skip) / counts.n_rows >= target);
}

function plainChip(data, name, words, tone, on_test) {
  if (on_test) return targetChip(data, name, 0, on_test, false);
  const where = words.includes(data.counted_on) ? "" : ` on ${data.counted_on}`;
  return { mark: MARK[tone], tone, text: `${words}${where}: target ≥ ${targetText(data.targets[name])}` };
}

// Tune and test beside each other where the test rows were counted.
function writeTest(tile, on_test, text = "") {
  tile.test.hidden = !on_test;
  setClass(tile.test.parentElement, "is-tested", Boolean(on_test));
  write(tile.test, text);
}

function shareText(on_test, target) {
  return on_test ? percentText(on_test.n_good, on_test.n, target) : "";
}

function testText(on_test, what) {
  return `test: at least ${on_test.low} · ${countText(on_test.n_good)} of ${countText(on_test.n)} ${what}`;
}

function updatePanels(panels, data, counts, point, at, tested, groups) {
  const is_split = data.counted_on !== "all rows"; // else the line beside the buttons says it once
  panels.counted_on.forEach((node) => {
    node.hidden = !is_split;
    const { lead = " · ", end = "" } = node.dataset;
    write(node, is_split ? `${lead}on ${data.counted_on}${end}` : "");
  });
  const is_neg_known = point.neg.is_exact;
  const is_pos_known = point.pos.is_exact;
  const tiles = panels.tiles;
  if (is_neg_known) {
    const chip = updateSensitivity(tiles.sensitivity, data, counts, point.neg.index, at, tested.sensitivity, groups);
    updateWorkload(tiles.workload, data, counts, point.neg.index, at);
    updateMissed(tiles.missed, data, counts, point.neg.index, at, tested.missed, chip);
    groups.update(point.neg.index);
  } else {
    for (const name of ["sensitivity", "workload", "missed"]) writeTile(tiles[name], WAITING, ["", ""], null);
  }
  if (is_pos_known) updatePrecision(tiles.precision, data, counts, point.pos.index, at, tested.precision);
  else writeTile(tiles.precision, WAITING, ["", ""], null);
  if (is_neg_known && is_pos_known) {
    updateSentence(panels, data, counts, point, at, is_split);
    updateTable(panels, at);
    updateRates(panels.sentence.closest("section"), data, counts, point.neg.index, at);
    updateWhatIf(panels, counts, at);
  } else {
    writeRich(panels.sentence, ["Counting at the typed threshold…"]);
    Object.values(panels.rows).flat().forEach((cell) => write(cell, WAITING));
  }
}

// Returns the chip, which the tile of the missed shares.
function updateSensitivity(tile, data, counts, index, at, on_test, groups) {
  const { targets } = data;
  writeTest(tile, on_test, shareText(on_test, targets.sensitivity));
  if (counts.n_pos === 0) {
    writeTile(tile, UNDEFINED, ["no check with evidence", ""], null);
    return null;
  }
  const step = stepAt(counts, index);
  const kept = counts.n_pos - at.skip_pos;
  const bound = percentBound(counts.sensitivity_low[step], "low");
  const posts = data.has_posts && at.skip_pos ? ` in ${postsText(data, counts.posts_missed[index])}` : "";
  const is_within = counts.sensitivity_high[step] >= targets.sensitivity * BOUND_UNIT;
  const is_without_model = isMetWithoutModel(data, counts, "sensitivity", at);
  const verdict = counts.sensitivity_verdict[index];
  const of_groups = on_test ? null : groups.chip(verdict, index);
  const chip = at.skip
    ? of_groups ?? targetChip(data, "sensitivity", verdict, on_test, is_within, is_without_model)
    : plainChip(data, "sensitivity", "nothing is skipped", "plain", on_test);
  writeTile(
    tile,
    percentText(kept, counts.n_pos, targets.sensitivity),
    [
      at.skip ? `at least ${bound} %, one-sided ${targetText(targets.sensitivity_confidence)}` : "nothing is skipped",
      on_test ? testText(on_test, "kept") : `${countText(at.skip_pos)} of ${countText(counts.n_pos)} missed${posts}`,
    ],
    chip,
  );
  return chip;
}

function updateWorkload(tile, data, counts, index, at) {
  const seen = at.look + at.alert;
  const { minutes, per, hours_a_day: capacity, team, n_days } = data.review;
  const interval = percentInterval(counts.workload_low[index], counts.workload_high[index]);
  const n_read = per === "post" ? counts.n_posts - counts.posts_unopened[index] : seen;
  const hours = minutes === null ? null : (n_read * minutes) / 60;
  const chip = hours === null || capacity === null ? null : capacityChip(hours, capacity, team, n_days);
  const opened = per === "post" ? `${postsText(data, n_read)} opened, ` : "";
  const effort = hours === null ? `${countText(at.skip)} skipped` : `${opened}≈ ${hoursText(hours)} reviewer hours`;
  writeTile(
    tile,
    percentText(seen, counts.n_rows),
    [`95 % CI ${interval} · ${countText(seen)} of ${countText(counts.n_rows)}`, effort],
    chip,
  );
}

// Days of work of the team; a verdict only where it is said in how many days the rows arrive.
function capacityChip(hours, capacity, team, n_days) {
  const days = hours / capacity;
  const number = hoursText(days);
  const needed = `takes ${number} ${number === "1" ? "day" : "days"}`;
  if (n_days === null) return { mark: "", tone: "plain", text: `${needed} (${team})` };
  return days <= n_days
    ? { mark: "●", tone: "met", text: `${needed} of ${countText(n_days)} (${team})` }
    : { mark: "○", tone: "missed", text: `${needed}, has ${countText(n_days)} (${team})` };
}

function hoursText(hours) {
  return hours >= 10 ? countText(Math.round(hours)) : String(Number(hours.toPrecision(2)));
}

function updateMissed(tile, data, counts, index, at, on_test, of_sensitivity) {
  const { missed_per_1000: target, sensitivity_confidence: confidence } = data.targets;
  writeTest(tile, on_test, on_test ? rateText(on_test.n_missed, on_test.n, 1000, 2) : "");
  if (counts.n_pos === 0) {
    writeTile(tile, rateText(0, counts.n_rows, 1000, 2), ["no check with evidence", ""], null);
    return;
  }
  const bound = boundText(counts.missed_high[stepAt(counts, index)], 3, 2, "high");
  writeTile(
    tile,
    rateText(at.skip_pos, counts.n_rows, 1000, 2),
    [
      `at most ${bound}, one-sided ${targetText(confidence)}`,
      on_test
        ? `test: at most ${on_test.high} · ${countText(on_test.n_missed)} of ${countText(on_test.n)} checks`
        : `${countText(at.skip_pos)} of ${countText(counts.n_rows)} checks`,
    ],
    target === null ? asSensitivity(of_sensitivity) : missedChip(data, counts, index, on_test),
  );
}

// Without a target of its own it stands and falls with the sensitivity: the same checks are missed, and the bound is
// the same. Never in the colour of success.
function asSensitivity(chip) {
  const text = chip.text.replace(/target(?= ≥ [^≥]*$)/, "sensitivity");
  return { ...chip, tone: chip.tone === "met" ? "plain" : chip.tone, text };
}

// Where it is a target: never in the colour of success, as it permits a lower sensitivity than one would think.
function missedChip(data, counts, index, on_test) {
  const target = data.targets.missed_per_1000;
  const code = counts.missed_verdict[index];
  const words = on_test ? `${on_test.words} on test` : `${data.words.missed[code]} on ${data.counted_on}`;
  const tone = on_test ? on_test.tone : TONE[data.verdicts[code]];
  const { n_pos, n } = on_test ?? { n_pos: counts.n_pos, n: counts.n_rows };
  const permitted = Math.max(0, Math.floor(BOUND_UNIT * (1 - (target * n) / (1000 * n_pos))));
  const as_sensitivity = n_pos ? `, which a sensitivity of ${percentBound(permitted, "low")} % meets` : "";
  return { mark: MARK[tone], tone: tone === "met" ? "plain" : tone, text: `${words}: target ≤ ${target}${as_sensitivity}` };
}

// A threshold chosen on these rows is confirmed by others only, whatever bound these give.
function isReachedWhereChosen(data, counts, index) {
  const is_by_estimate = data.verdicts[counts.precision_verdict[index]] === "met_point_only";
  return is_by_estimate && counts.precision_low_one_sided[index] >= data.targets.precision * BOUND_UNIT;
}

function updatePrecision(tile, data, counts, index, at, on_test) {
  const { targets } = data;
  writeTest(tile, on_test, shareText(on_test, targets.precision));
  if (at.alert === 0) {
    writeTile(tile, UNDEFINED, ["no alerts", ""], plainChip(data, "precision", "not met, no alerts", "missed", on_test));
    return;
  }
  const is_within = counts.precision_high[index] >= targets.precision * BOUND_UNIT;
  const is_without_model = isMetWithoutModel(data, counts, "precision", at);
  const bound = percentBound(counts.precision_low_one_sided[index], "low");
  const interval = percentInterval(counts.precision_low[index], counts.precision_high[index]);
  writeTile(
    tile,
    percentText(at.alert_pos, at.alert, targets.precision),
    [
      `at least ${bound} %, one-sided ${targetText(targets.precision_confidence)}`,
      on_test ? testText(on_test, "right") : `95 % CI ${interval} · ${countText(at.alert)} alerts`,
    ],
    isReachedWhereChosen(data, counts, index) && !on_test && !is_without_model
      ? plainChip(data, "precision", REACHED_WHERE_CHOSEN[data.counted_on === "tune" ? "tune" : "all"], "point", null)
      : targetChip(data, "precision", counts.precision_verdict[index], on_test, is_within, is_without_model),
  );
}

// So many posts, or what takes their place.
function postsText(data, n) {
  return `${countText(n)} ${n === 1 ? data.unit.one : data.unit.several}`;
}

function updateSentence(panels, data, counts, point, at, is_split) {
  const [skip, look, alert] = partsOf(1000, [at.skip, at.look, at.alert]);
  writeRich(panels.sentence, [
    is_split ? `On ${data.counted_on}, of 1,000 checks: ` : "Of 1,000 checks: ",
    { bold: `skip ${partText(skip, at.skip)}` },
    ", ",
    { bold: `look at ${partText(look, at.look)}` },
    ", ",
    { bold: `alert ${partText(alert, at.alert)}` },
    ". ",
    ...skippedWords(data, counts, point.neg.index, at),
    ...alertWords(at),
  ]);
}

function partText(part, n) {
  return part === 0 && n > 0 ? "< 1" : countText(part);
}

function skippedWords(data, counts, index, at) {
  if (at.skip === 0) return ["Nothing is skipped; "];
  const words = ["In the skipped pile "];
  if (at.skip_pos === 0) words.push("are no checks with evidence");
  else {
    words.push("about ", { bold: rateText(at.skip_pos, counts.n_rows, 1000, 1) }, " checks with evidence");
    if (data.has_posts) words.push(`, in ${countText(counts.posts_missed[index])} of ${postsText(data, counts.n_posts)}`);
  }
  const n_unopened = data.has_posts ? counts.posts_unopened[index] : 0;
  const are = n_unopened === 1 ? "is" : "are";
  words.push(n_unopened ? `; ${postsText(data, n_unopened)} ${are} read by nobody; ` : "; ");
  return words;
}

function alertWords(at) {
  if (at.alert === 0) return ["there are no alerts."];
  const [right] = partsOf(100, [at.alert_pos, at.alert_neg]);
  if (right === 100 && at.alert_neg) return ["of the alerts ", { bold: "more than 99 in 100" }, " are right."];
  if (right === 0 && at.alert_pos) return ["of the alerts ", { bold: "fewer than 1 in 100" }, " are right."];
  return ["of the alerts about ", { bold: `${right} in 100` }, " are right."];
}

function updateTable(panels, at) {
  const zones = ["skip", "look", "alert"];
  zones.forEach((zone, i) => {
    write(panels.rows.evidence[i], countText(at[`${zone}_pos`]));
    write(panels.rows.none[i], countText(at[`${zone}_neg`]));
    write(panels.rows.share[i], percentText(at[`${zone}_pos`], at[zone]));
  });
}

// Both what-ifs hold P(zone | evidence) and P(zone | no evidence) fixed.
function updateWhatIf(panels, counts, at) {
  const is_own = panels.prevalence.value === panels.prevalence.dataset.own;
  const q = is_own ? counts.n_pos / counts.n_rows : Number(panels.prevalence.value) / 100;
  write(panels.prevalence_value, `${panels.prevalence.value} %`);
  const n_neg = counts.n_rows - counts.n_pos;
  if (counts.n_pos === 0 || n_neg === 0) {
    write(panels.prevalence_result, "needs checks with and without evidence");
    write(panels.reviewer_result, "");
    return;
  }
  const alert_right = (q * at.alert_pos) / counts.n_pos;
  const alert_wrong = ((1 - q) * at.alert_neg) / n_neg;
  const missed = (1000 * q * at.skip_pos) / counts.n_pos;
  const skipped = (q * at.skip_pos) / counts.n_pos + ((1 - q) * at.skip_neg) / n_neg;
  const right = approximatePercent((100 * alert_right) / (alert_right + alert_wrong));
  const alerts = at.alert ? `alerts right ${right} %` : "no alerts";
  const workload = approximatePercent(100 * (1 - skipped));
  write(
    panels.prevalence_result,
    `${alerts} · missed ${approximateText(missed, 1, 1000)} / 1,000 · workload ${workload}\u00a0%`,
  );
  const reviewer = Number(panels.reviewer.value) / 100;
  const found = (reviewer * at.look_pos + at.alert_pos) / counts.n_pos;
  write(panels.reviewer_value, `${panels.reviewer.value} %`);
  write(panels.reviewer_result, `of what they see: ${approximatePercent(100 * found)} % of the evidence found`);
}
