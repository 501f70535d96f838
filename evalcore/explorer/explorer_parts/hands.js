// Pointer, keys and number boxes: three ways to move the point.

const GRAB = 26; // px around a handle within which it is taken hold of without a jump
const SIDES = ["neg", "pos"];

function connectPointer(root, on, view, keeper) {
  const { plot, handles } = view;
  let drag = null;

  const pointerX = (event) => event.clientX - plot.getBoundingClientRect().left;
  const handleX = (side) => view.axis.edges[keeper.point[side].index] * view.width;

  function nearestSide(x) {
    const middle = (handleX("neg") + handleX("pos")) / 2;
    return x < middle ? "neg" : "pos";
  }

  function start(event) {
    if (event.button !== 0 || !keeper.point || !view.axis || drag) return;
    const x = pointerX(event);
    const held = event.target.closest("[data-handle]")?.dataset.handle;
    const side = held ?? nearestSide(x);
    const is_grabbed = held !== undefined || Math.abs(x - handleX(side)) <= GRAB;
    keeper.grab();
    drag = { id: event.pointerId, side, offset: is_grabbed ? x - handleX(side) : 0 };
    plot.setPointerCapture(event.pointerId);
    setClass(root, "is-dragging", true);
    handles[side].focus({ preventScroll: true });
    event.preventDefault();
    if (!is_grabbed) follow(event);
  }

  function follow(event) {
    if (event.pointerId !== drag?.id) return;
    const share = clamp((pointerX(event) - drag.offset) / view.width, 0, 1);
    keeper.moveTo(drag.side, nearestIndex(view.axis.edges, share));
  }

  function end(give_up) {
    const { id } = drag;
    drag = null;
    if (plot.hasPointerCapture(id)) plot.releasePointerCapture(id);
    setClass(root, "is-dragging", false);
    if (keeper.before_drag) keeper.letGo({ give_up });
  }

  on(plot, "pointerdown", start);
  on(plot, "pointermove", follow);
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
    on(plot, type, (event) => event.pointerId === drag?.id && end(type === "pointercancel"));
  }
  on(root, "keydown", (event) => event.key === "Escape" && drag && end(true));
}

function connectKeys(on, view, keeper) {
  function press(side, event) {
    if (!keeper.point || keeper.before_drag || event.altKey || event.ctrlKey || event.metaKey) return;
    const { n_scores } = keeper.counts;
    const here = keeper.point[side].index;
    const step = event.shiftKey ? 10 : 1;
    const page = Math.max(10, Math.round(n_scores / 20));
    const target = {
      ArrowLeft: here - step,
      ArrowDown: here - step,
      ArrowRight: here + step,
      ArrowUp: here + step,
      PageDown: here - page,
      PageUp: here + page,
      Home: 0,
      End: n_scores,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    keeper.moveTo(side, target);
    keeper.commitSoon();
  }

  for (const side of SIDES) {
    on(view.handles[side], "keydown", (event) => press(side, event));
    on(view.handles[side], "blur", () => keeper.commitNow());
  }
}

// A box shows the threshold's text, except while somebody types into it or what was typed is at fault.
function makeBoxes(root, on, keeper, note, isProbability) {
  const boxes = Object.fromEntries(
    SIDES.map((side) => [side, { node: root.querySelector(`[data-box="${side}"]`), is_typing: false, shown: null }]),
  );

  function read(side) {
    const { node } = boxes[side];
    if (!keeper.point) return;
    const { text, fault } = readThreshold(node.value, isProbability());
    boxes[side].is_typing = Boolean(fault);
    setAttribute(node, "aria-invalid", Boolean(fault));
    if (fault) note(`τ ${side}: ${fault}`);
    else keeper.setText(side, text);
  }

  function leave(side) {
    boxes[side].is_typing = boxes[side].node.getAttribute("aria-invalid") === "true";
    show();
  }

  function giveUp(side) {
    boxes[side].is_typing = false;
    note("");
    show();
  }

  function show() {
    for (const side of SIDES) {
      const box = boxes[side];
      const text = keeper.point?.[side].text ?? "";
      const is_outdated = text !== box.shown && root.getRootNode().activeElement !== box.node;
      box.shown = text;
      if (box.is_typing && !is_outdated) continue;
      box.is_typing = false;
      setAttribute(box.node, "aria-invalid", false);
      if (box.node.value !== text) box.node.value = text;
    }
  }

  for (const side of SIDES) {
    const { node } = boxes[side];
    on(node, "input", () => (boxes[side].is_typing = true));
    on(node, "change", () => read(side));
    on(node, "blur", () => leave(side));
    on(node, "keydown", (event) => event.key === "Escape" && giveUp(side));
  }
  return { show };
}

const OPEN_A_DIALOG = ["export", "check_on_test", "find"];
const LONGEST_OPENING = 20_000; // ms
const CLOSING = 150; // ms in which the page itself places the focus, outside of the explorer

// A dialog that is closed, by whatever key, gives the focus back to what opened it.
function giveFocusBack(root, opener) {
  const began = performance.now();
  let was_open = false;
  const watch = new MutationObserver(() => {
    const is_open = document.querySelector('[role="dialog"]') !== null;
    if (was_open && !is_open) setTimeout(() => isFocusLost(root) && opener()?.focus({ preventScroll: true }), CLOSING);
    if ((was_open && !is_open) || (!was_open && performance.now() - began > LONGEST_OPENING)) watch.disconnect();
    was_open = is_open;
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

function isFocusLost(root) {
  const { host, activeElement } = root.getRootNode();
  const at = document.activeElement;
  return !at || at === document.body || (at === host && !activeElement);
}
