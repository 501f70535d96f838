// The threshold explorer: two handles over a histogram; every number follows the pointer from arrays sent once.
// The parts in explorer_parts/ come before this file in one module text.

const BAR_WIDTH = 13; // px
const FILES = ["save_page"]; // what the server makes and this page saves

const instances = new WeakMap();

export default function explorer(component) {
  const { parentElement, data } = component;
  let instance = instances.get(parentElement);
  if (!instance) {
    instance = mount(parentElement, data.channel);
    instances.set(parentElement, instance);
  }
  instance.send = component; // setStateValue and setTriggerValue of the newest call
  instance.show(data);
  return instance.unmount;
}

function mount(parentElement, channel_name) {
  const root = parentElement.querySelector('[data-testid="explorer"]');
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const stop = new AbortController();
  const on = (node, type, handler) => node.addEventListener(type, handler, { signal: stop.signal });
  const note = (text) => write(part("note"), text);
  const report = (text) => write(part("status"), text);
  const say = (name, value) => (channel.messenger ?? instance.send).setStateValue(name, value);
  const histogram = makeHistogram(root);
  const curve = makeCurve(root);
  const panels = makePanels(root);
  const channel = openChannel(channel_name);
  const instance = { send: null, show, unmount };
  let data = null;
  let counts = null;
  let axis_kind = null;
  let status = "";
  let marks_revision = -1;
  let tested = null; // what the test rows said, of the thresholds for which they were counted

  const keeper = new PointKeeper({ tell, changed: update, note });
  const exporter = makeExporter({ ask: sendAction, changed: update, report });
  const groups = makeGroups(root, on, {
    told: (marks) => {
      say("marks", { marks, revision: (marks_revision += 1), data_id: data.data_id });
      update();
    },
    open: (group) => act("show_group", { group }),
    save: (group) => keeper.point && exporter.start(() => actionMessage("group_rows", { group })),
  });
  const history = makeHistory(part("history"), on, keeper, () => counts);
  const boxes = makeBoxes(root, on, keeper, note, () => data.is_probability);

  // Data and news

  function show(new_data) {
    setAttribute(root, "data-theme", isDark(root) ? "dark" : "light");
    if (data?.payload_id === new_data.payload_id) return;
    const is_other_rows = data?.data_id !== new_data.data_id;
    data = new_data;
    counts = unpackCounts(data);
    keeper.use(counts, data.data_id, data.is_alone);
    if (is_other_rows) {
      axis_kind = data.axis;
      marks_revision = -1;
      panels.prevalence.value = String((100 * counts.n_pos) / counts.n_rows);
      panels.prevalence.dataset.own = panels.prevalence.value; // to a step of the slider: there it means the exact one
    }
    drawFrame();
    drawAll();
    if (!keeper.point && channel.news) hear(channel.news);
  }

  function hear(news) {
    if (news.data_id !== data?.data_id) return;
    if (news.status !== status) {
      status = news.status;
      report(status);
    }
    if (news.reply) exporter.take(news.reply);
    const now_tested = news.tested ?? null;
    const has_marks = Array.isArray(news.marks) && news.marks_revision > marks_revision;
    const is_other = JSON.stringify(now_tested) !== JSON.stringify(tested);
    tested = now_tested;
    if (has_marks) {
      marks_revision = news.marks_revision;
      groups.mark(news.marks);
    }
    keeper.hear(news);
    if (is_other || has_marks) update();
  }

  function tell(message) {
    say("point", message);
    update();
    write(part("announcement"), panels.sentence.textContent); // heard once per release, not at every step
  }

  // What is shown

  function drawFrame() {
    for (const button of root.querySelectorAll("[data-action]")) {
      button.hidden = !data.actions.includes(button.dataset.action);
    }
    const logit_choice = part("axis").querySelector('[value="logit"]');
    logit_choice.hidden = logit_choice.disabled = !data.is_probability;
    part("axis").value = axis_kind;
    write(part("method"), data.method);
    groups.show(data, data.groups.map(unpackGroups));
  }

  function drawAll() {
    if (!counts || !histogram.plot.clientWidth) return;
    const n_bins = clamp(Math.floor(histogram.plot.clientWidth / BAR_WIDTH), 16, 64);
    drawHistogram(histogram, counts, makeAxis(counts, axis_kind, n_bins), part("log-counts").checked);
    drawCurve(curve, counts, data.targets);
    groups.measure();
    update();
  }

  function update() {
    const { point } = keeper;
    if (!point || !histogram.axis) return;
    const at = countsAt(counts, point.neg.index, point.pos.index);
    moveHistogram(histogram, counts, point, at);
    moveCurve(curve, counts, point);
    const is_tested = tested !== null && tested.tau_neg === point.neg.text && tested.tau_pos === point.pos.text;
    updatePanels(panels, data, counts, point, at, is_tested ? tested : {}, groups);
    for (const side of SIDES) describeHandle(histogram.handles[side], side, counts, point, at);
    boxes.show();
    updateButtons(point, at);
  }

  function updateButtons(point, at) {
    const both = `${point.neg.text ?? "none"} / ${point.pos.text ?? "none"}`;
    write(part("export"), `Export ${both}…`);
    write(part("save-page"), exporter.isUnderWay("save_page") ? "Preparing the file…" : "Explorer as one file");
    const n_missed = point.neg.is_exact ? at.skip_pos : 0;
    write(part("missed"), n_missed ? `Show the ${countText(n_missed)} missed` : "None missed");
    // Not `disabled`, which would take the focus away from who just pressed it.
    setAttribute(part("missed"), "aria-disabled", n_missed === 0);
    setAttribute(part("undo"), "aria-disabled", keeper.history.length === 0);
    setAttribute(part("redo"), "aria-disabled", keeper.future.length === 0);
    if (!keeper.before_drag) history.show();
  }

  // Actions

  function sendAction(message) {
    instance.send.setTriggerValue("action", message);
  }

  // The message of an action carries the thresholds that stand on the screen, a key's among them.
  function actionMessage(name, extra = {}) {
    keeper.commitNow();
    return { name, seq: nextSequence(), ...keeper.message(), ...extra };
  }

  function act(name, extra) {
    const is_off = root.querySelector(`[data-action="${name}"]`)?.getAttribute("aria-disabled") === "true";
    if (!keeper.point || keeper.before_drag || is_off) return;
    sendAction(actionMessage(name, extra));
    if (OPEN_A_DIALOG.includes(name)) giveFocusBack(root, () => root.querySelector(`[data-action="${name}"]`));
  }

  // The figure as it stands on the screen: nothing is asked of a server for it.
  async function picture(format) {
    if (!keeper.point || !histogram.axis) return;
    const [neg, pos] = SIDES.map((side) => keeper.point[side].text);
    const zones = [neg === null ? "nothing is skipped" : `skip below ${neg}`, pos === null ? "no alerts" : `alert from ${pos}`];
    const lines = [`Scores: ${zones.join(", ")}`, `Counted on ${data.counted_on}`];
    const name = `scores_${neg ?? "none"}_${pos ?? "none"}`;
    await savePicture(root, histogram, format, lines, name);
    report(`Saved ${name}.${format}`);
  }

  async function copyLink() {
    if (!keeper.point) return;
    // The server's words, not those of the address, which may still wait for the data of another link.
    const url = new URL(globalThis.location.pathname, globalThis.location.origin);
    for (const [name, value] of linkAt(channel.news?.link ?? [], keeper.point)) url.searchParams.append(name, value);
    const is_copied = await copyText(url.href);
    act("copy_link");
    report(is_copied ? "Link copied" : `Copy this link: ${url.href}`);
  }

  // Wiring

  connectPointer(root, on, histogram, keeper);
  connectKeys(on, histogram, keeper);
  connectWords(root, on, () => data.terms);
  connectHints(root, on);
  on(document, "click", (event) => {
    if (!event.target.closest?.('a[href="#handles"]')) return;
    event.preventDefault();
    histogram.handles.neg.focus();
  });
  on(root, "keydown", (event) => event.stopPropagation()); // Streamlit has shortcuts on single letters
  on(curve.svg, "click", (event) => {
    if (!keeper.point || keeper.before_drag) return;
    keeper.moveTo("neg", indexOnCurve(curve, counts, event));
    keeper.commit();
  });
  for (const button of root.querySelectorAll("[data-picture]")) on(button, "click", () => picture(button.dataset.picture));
  on(part("undo"), "click", () => keeper.undo());
  on(part("redo"), "click", () => keeper.redo());
  for (const button of root.querySelectorAll("[data-action]")) {
    const { action } = button.dataset;
    if (FILES.includes(action)) on(button, "click", () => keeper.point && exporter.start(() => actionMessage(action)));
    else on(button, "click", () => (action === "copy_link" ? copyLink() : act(action)));
  }
  on(part("axis"), "change", () => {
    axis_kind = part("axis").value;
    drawAll();
  });
  on(part("log-counts"), "change", drawAll);
  on(panels.prevalence, "input", update);
  on(panels.reviewer, "input", update);
  const resize = new ResizeObserver(drawAll);
  resize.observe(histogram.plot);
  channel.listener = hear;

  function unmount() {
    stop.abort();
    resize.disconnect();
    keeper.forget();
    exporter.stop();
    channel.listener = null;
    instances.delete(parentElement);
  }

  return instance;
}

// What the server says of a search is of its own thresholds: of others, typed or dragged since, it says nothing.
function linkAt(link, point) {
  const tau = SIDES.map((side) => ["tau", point[side].text ?? "none"]);
  const known = link.filter(([name]) => name === "tau");
  const is_known = JSON.stringify(known) === JSON.stringify(tau);
  return [...link.filter(([name]) => name !== "tau" && (name !== "chosen" || is_known)), ...tau];
}

function describeHandle(handle, side, counts, point, at) {
  const { n_rows, n_pos, n_scores, score } = counts;
  const threshold = point[side];
  setAttribute(handle, "aria-valuemin", score[0]);
  setAttribute(handle, "aria-valuemax", score[n_scores - 1]);
  setAttribute(handle, "aria-valuenow", threshold.value ?? (side === "neg" ? score[0] : score[n_scores - 1]));
  const workload = percentText(n_rows - at.skip, n_rows);
  const sensitivity = percentText(n_pos - at.skip_pos, n_pos);
  const effect = `workload ${workload}, sensitivity ${sensitivity}, ${countText(at.skip_pos)} missed`;
  const alerts = at.alert ? `${countText(at.alert)} alerts, ${percentText(at.alert_pos, at.alert)} right` : "no alerts";
  const words = side === "neg" ? effect : `${alerts}; ${effect}`;
  setAttribute(handle, "aria-valuetext", `${threshold.text ?? "none"}: ${words}`);
}

function isDark(root) {
  const probe = document.createElement("span");
  probe.style.color = "var(--st-background-color, white)";
  root.append(probe);
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}
