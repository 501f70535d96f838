// Groups at these thresholds: of any column, marked ones first, then worst first; only the rows in sight are drawn.

const MOST_ROWS = 12; // in sight
const FINDABLE = 30; // from so many groups on one can be looked for by name
const AXIS_FLOOR = 0.8; // of the groups' sensitivities
const SHARE_UNIT = 1e4; // bounds of groups arrive as hundredths of a percent, rounded down
const NO_BOUND = 65535;
const LONGEST = 28; // letters of a group in a verdict

// What the payload says of a column: the positives of each group, by the threshold index from which they are missed.
function unpackGroups(packed) {
  const { column, shown, levels, n_without } = packed;
  const [n_rows, n_pos, step, low, verdict] = ["n_rows", "n_pos", "step", "low", "verdict"].map((name) =>
    unpackColumn(packed[name]),
  );
  const start = new Int32Array(n_pos.length);
  for (let i = 1; i < start.length; i += 1) start[i] = start[i - 1] + n_pos[i - 1];
  const place = new Map(levels.map(({ id }, i) => [id, i]));
  return { column, shown, levels, n_without, n_rows, n_pos, start, step, low, verdict, place };
}

// Positives of a group that lie below the threshold of this index.
function missedIn({ start, n_pos, step }, group, index) {
  const first = start[group];
  let low = first;
  let high = first + n_pos[group];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (step[middle] <= index) low = middle + 1;
    else high = middle;
  }
  return low - first;
}

function groupAt(column, group, index) {
  if (group === undefined) return { n_pos: 0, n_missed: 0, low: NO_BOUND, verdict: null };
  const n_missed = missedIn(column, group, index);
  const at = column.start[group] + group + n_missed;
  return { n_pos: column.n_pos[group], n_missed, low: column.low[at], verdict: column.verdict[at] };
}

// Those of enough positives, of few, of none; the lowest sensitivity, more missed, fewer positives: as in Python.
function worstFirst(column, groups, index, min_cases) {
  const { n_pos } = column;
  const missed = new Int32Array(n_pos.length);
  const place = new Float64Array(n_pos.length);
  for (const group of groups) {
    missed[group] = missedIn(column, group, index);
    place[group] = placeOf(n_pos[group], missed[group], min_cases);
  }
  return groups.sort((a, b) => place[a] - place[b] || missed[b] - missed[a] || n_pos[a] - n_pos[b] || a - b);
}

// Up to 1 with enough positives, from 2 to 3 with few, then 4.
function placeOf(n_pos, n_missed, min_cases) {
  return n_pos === 0 ? 4 : (n_pos - n_missed) / n_pos + (n_pos < min_cases ? 2 : 0);
}

function markedWorstFirst(marked, index, min_cases) {
  return marked
    .map((one) => ({ one, at: groupAt(one.column, one.group, index) }))
    .map(({ one, at }) => ({ one, at, place: placeOf(at.n_pos, at.n_missed, min_cases) }))
    .sort((a, b) => a.place - b.place || b.at.n_missed - a.at.n_missed || a.at.n_pos - b.at.n_pos)
    .map(({ one }) => one);
}

// The marked groups that keep a target from being as it is for the whole, worst first.
function fallingShort(data, marked, whole, index) {
  if (["not_met", "not_assessed"].includes(data.verdicts[whole])) return [];
  const none = data.verdicts.indexOf("not_assessed");
  return marked
    .map(({ column, group, words }) => ({ words, ...groupAt(column, group, index) }))
    .map((at) => ({ ...at, verdict: at.verdict ?? none }))
    .filter(({ verdict }) => data.shortfall[verdict] < data.shortfall[whole])
    .map((at) => ({ ...at, place: placeOf(at.n_pos, at.n_missed, data.min_cases) }))
    .sort((a, b) => data.shortfall[a.verdict] - data.shortfall[b.verdict] || a.place - b.place || b.n_missed - a.n_missed);
}

// What a test holds against Python: the marked groups' verdict on the target, and the order of a column.
export function groupsAt(data, column_name, marks, index, whole) {
  const columns = data.groups.map(unpackGroups);
  const column = columns.find((one) => one.column === column_name);
  const [worst] = fallingShort(data, resolved(columns, marks), whole, index);
  const order = worstFirst(column, column.levels.map((_, i) => i), index, data.min_cases);
  return {
    verdict: worst ? loweredTo(data, worst.verdict) : whole,
    groups: order.map((group) => ({ level: column.levels[group].id, ...groupAt(column, group, index) })),
  };
}

function loweredTo(data, verdict) {
  return data.verdicts[verdict] === "not_assessed" ? data.verdicts.indexOf("infeasible_with_this_n") : verdict;
}

function resolved(columns, marks) {
  return marks.map(([name, level]) => {
    const column = columns.find((one) => one.column === name);
    const group = column?.place.get(level);
    const shown = group === undefined ? level : column.levels[group].shown;
    return { column, group, name, level, words: `${column?.shown ?? name} = ${shortened(shown)}` };
  });
}

function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

// The chip of a target where marked groups keep it from being met; null where none does.
function markedChip(data, marked, whole, index) {
  const short = fallingShort(data, marked, whole, index);
  if (short.length === 0) return null;
  const [{ words, verdict, n_missed, n_pos }] = short;
  const tone = TONE[data.verdicts[loweredTo(data, verdict)]];
  const missed = n_pos ? `${countText(n_missed)} of ${countText(n_pos)} missed` : "no positives";
  const others = short.length > 1 ? `, ${countText(short.length - 1)} more` : "";
  const said = `${data.group_words[verdict]} for ${words}: ${missed}${others}`;
  const text = `${said}; target ≥ ${targetText(data.targets.sensitivity)} on ${data.counted_on}`;
  return { mark: MARK[tone], tone, text, is_of_group: true };
}

// The panel. `told(marks)`: a person marked a group, or took a mark away.
function makeGroups(root, on, { told, open, save }) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const [card, by, find, list, hint, note] = ["groups", "by", "find-group", "group-list", "groups-hint", "groups-note"].map(part);
  const items = list.querySelector("ul");
  let data = null;
  let columns = [];
  let column = null;
  let marks = [];
  let marked = [];
  let others = []; // groups of the column that are not marked, worst first
  let rows = []; // nodes in sight
  let height = 0;
  let index = null;

  function show(new_data, new_columns) {
    data = new_data;
    columns = new_columns;
    card.hidden = columns.length === 0;
    if (card.hidden) return;
    by.replaceChildren(...columns.map(({ column: id, shown }) => new Option(shown, id)));
    column = columns.find((one) => one.column === column?.column) ?? columns[0];
    by.value = column.column;
    write(part("groups-target"), `target ≥ ${targetText(data.targets.sensitivity)}`);
    choose();
  }

  function mark(new_marks) {
    marks = new_marks;
    choose();
  }

  function choose() {
    index = null;
    marked = resolved(columns, marks);
    if (!column) return;
    const { levels, shown, n_without } = column;
    find.hidden = levels.length < FINDABLE;
    const asked = find.hidden ? "" : find.value.trim().toLowerCase();
    const is_marked = new Set(marked.filter((one) => one.column === column).map(({ group }) => group));
    others = levels.map((_, i) => i).filter((i) => !is_marked.has(i) && levelText(column, i).toLowerCase().includes(asked));
    const parts = ["▲ must not be missed", `${countText(levels.length)} ${levels.length === 1 ? "group" : "groups"}`];
    if (n_without) parts.push(`${countText(n_without)} ${n_without === 1 ? "check has" : "checks have"} no ${shown}`);
    write(note, parts.join(" · "));
    write(hint, data.actions.includes("show_group") ? " · click a row for its failures" : "");
    measure();
  }

  // As many nodes as rows fit; they are filled anew, never made anew, while a handle moves or the list is scrolled.
  function measure() {
    if (!column) return;
    height = parseFloat(getComputedStyle(list).getPropertyValue("--row"));
    const n_rows = marked.length + others.length;
    items.style.height = `${n_rows * height}px`;
    list.style.height = `${Math.min(n_rows, MOST_ROWS) * height}px`;
    setAttribute(list, "tabindex", n_rows > MOST_ROWS ? 0 : -1);
    const n_nodes = Math.min(n_rows, MOST_ROWS + 1);
    while (rows.length < n_nodes) rows.push(makeGroupRow(data.actions));
    rows.length = n_nodes;
    items.replaceChildren(...rows.map(({ item }) => item));
    draw();
  }

  function update(new_index) {
    if (!column || new_index === index) return;
    index = new_index;
    marked = markedWorstFirst(marked, index, data.min_cases);
    others = worstFirst(column, others, index, data.min_cases);
    draw();
  }

  function draw() {
    if (index === null) return;
    const first = Math.min(Math.floor(list.scrollTop / height), Math.max(0, marked.length + others.length - rows.length));
    rows.forEach((row, i) => {
      const at = first + i;
      const one = at < marked.length ? marked[at] : { column, group: others[at - marked.length] };
      const prefix = one.column === column ? "" : `${one.column?.shown ?? one.name} `; // a mark of another column
      fillGroupRow(row, data, one, { at, n_rows: marked.length + others.length, is_marked: at < marked.length, prefix }, index);
      row.item.style.transform = `translateY(${at * height}px)`;
    });
  }

  function toggle(mark_of) {
    const is_same = ([name, level]) => name === mark_of[0] && level === mark_of[1];
    const kept = marks.filter((one) => !is_same(one));
    mark(kept.length === marks.length ? [...marks, mark_of] : kept);
    told(marks);
    rows.find(({ mark_of: here }) => here && is_same(here))?.marker.focus(); // the row has moved, the hand goes along
  }

  on(by, "change", () => {
    const again = index;
    column = columns.find((one) => one.column === by.value);
    find.value = "";
    list.scrollTop = 0;
    choose();
    update(again);
  });
  on(find, "input", () => {
    const again = index;
    choose();
    update(again);
  });
  on(list, "scroll", draw);
  on(list, "click", (event) => {
    const row = rows.find(({ item }) => item.contains(event.target));
    if (!row) return;
    if (row.marker.contains(event.target)) toggle(row.mark_of);
    else if (row.saver?.contains(event.target)) save(row.mark_of);
    else if (event.target.closest("button")) open(row.mark_of);
  });

  return {
    show,
    mark,
    measure,
    update,
    chip: (whole, at) => markedChip(data, marked, whole, at),
  };
}

function levelText(column, group) {
  const { shown, name } = column.levels[group];
  return name ? `${shown} ${name}` : shown;
}

function makeGroupRow(actions) {
  const node = (tag, name, parent, text = "") => {
    const made = document.createElement(tag);
    made.className = name;
    made.textContent = text;
    if (tag === "button") made.type = "button";
    parent.append(made);
    return made;
  };
  const item = document.createElement("li");
  const marker = node("button", "marker", item);
  const body = node(actions.includes("show_group") ? "button" : "div", "group", item);
  const [name, n, missed, track, text, state] = ["name", "n", "missed", "track", "text", "state"].map((one) => node("span", one, body));
  const [target, bar, dot] = ["target", "interval", "dot"].map((one) => node("i", one, track));
  const saver = actions.includes("group_rows") ? node("button", "saver", item, "CSV") : null;
  return { item, marker, body, name, n, missed, target, bar, dot, text, state, saver, mark_of: null, shown: "" };
}

function fillGroupRow(row, data, one, { at, n_rows, is_marked, prefix }, index) {
  const { column, group, name, level } = one;
  const mark_of = is_marked ? [name, level] : [column.column, column.levels[group].id];
  const now = groupAt(column, group, index);
  const in_full = `${prefix}${group === undefined ? level : levelText(column, group)}`;
  const key = [at, n_rows, is_marked, index === 0, now.n_missed, now.verdict, data.payload_id, in_full, ...mark_of].join("\u0000");
  if (row.shown === key) return;
  row.shown = key;
  row.mark_of = mark_of;
  write(row.name, in_full);
  setAttribute(row.name, "title", in_full);
  row.item.dataset.testid = `group-${mark_of[1]}`;
  setAttribute(row.item, "aria-posinset", at + 1);
  setAttribute(row.item, "aria-setsize", n_rows);
  write(row.marker, is_marked ? "▲" : "△");
  setAttribute(row.marker, "aria-pressed", is_marked);
  setAttribute(row.marker, "aria-label", `${in_full} must not be missed`);
  setAttribute(row.marker, "title", is_marked ? "Must not be missed: the target must hold for this group too" : "Mark: must not be missed");
  if (row.saver) setAttribute(row.saver, "aria-label", `Rows of ${in_full} at these thresholds as CSV`);
  setClass(row.item, "is-marked", is_marked);
  setClass(row.item, "is-small", now.n_pos < data.min_cases);
  fillGroupNumbers(row, data, now, index === 0);
}

function fillGroupNumbers(row, data, { n_pos, n_missed, low, verdict }, is_nothing_skipped) {
  const { sensitivity: target } = data.targets;
  write(row.n, countText(n_pos));
  write(row.missed, `${countText(n_missed)} missed`);
  row.target.hidden = target < AXIS_FLOOR;
  row.target.style.left = `${onAxis(target)}%`;
  row.bar.hidden = row.dot.hidden = n_pos === 0;
  const word = verdict === null ? "no row here" : data.group_words[verdict];
  const is_claimed = n_pos > 0 && !is_nothing_skipped; // where nothing is skipped there is no claim to judge
  write(row.state, is_claimed ? `${MARK[TONE[data.verdicts[verdict]]]} ${word}` : n_pos ? MARK.plain : word);
  if (n_pos === 0) {
    write(row.text, "n/a, no evidence");
    return;
  }
  const kept = n_pos - n_missed;
  const from = onAxis(low / SHARE_UNIT);
  row.bar.style.left = `${from}%`;
  row.bar.style.width = `${onAxis(kept / n_pos) - from}%`;
  row.dot.style.left = `${onAxis(kept / n_pos)}%`;
  setClass(row.dot, "is-below", kept / n_pos < AXIS_FLOOR);
  write(row.text, `${percentText(kept, n_pos, target)} · ≥ ${percentBound(low * (BOUND_UNIT / SHARE_UNIT), "low")} %`);
}

function onAxis(share) {
  return (100 * (clamp(share, AXIS_FLOOR, 1) - AXIS_FLOOR)) / (1 - AXIS_FLOOR);
}
