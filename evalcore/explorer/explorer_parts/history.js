// Where the handles stood, oldest first: a list that is made while it is open, each line a way back or forth.

function makeHistory(node, on, keeper, countsNow) {
  const list = node.querySelector("ol");
  let shown = "";

  function line(point) {
    const counts = countsNow();
    const at = countsAt(counts, point.neg.index, point.pos.index);
    const both = `${point.neg.text ?? "none"} / ${point.pos.text ?? "none"}`;
    return `${both}: workload ${percentText(counts.n_rows - at.skip, counts.n_rows)}, ${countText(at.skip_pos)} missed`;
  }

  function show() {
    if (!node.open || !keeper.committed) return;
    const { points, now } = keeper.timeline();
    const texts = points.map(line);
    const key = JSON.stringify([texts, now]);
    if (key === shown) return;
    shown = key;
    list.replaceChildren(
      ...texts.map((text, at) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.at = at;
        button.textContent = text;
        if (at === now) button.setAttribute("aria-current", "true");
        item.append(button);
        return item;
      }),
    );
  }

  on(node, "toggle", show);
  on(list, "click", (event) => {
    const at = event.target.closest("button[data-at]")?.dataset.at;
    if (at !== undefined) keeper.goTo(Number(at));
  });
  on(node, "keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    node.open = false;
    node.querySelector("summary").focus();
  });
  return { show };
}
