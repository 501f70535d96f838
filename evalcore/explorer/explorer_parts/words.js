// Words that explain themselves, pointed at, in focus or tapped; and three hints for a first visit.

const HINTS_SEEN = "evalcore-hints-seen"; // kept in this browser, told to nobody

function connectWords(root, on, said) {
  const note = root.querySelector('[data-part="said"]');
  let shown = null;

  function show(word) {
    if (shown === word) return;
    hide();
    shown = word;
    write(note, said()[word.dataset.term]);
    note.hidden = false;
    const around = root.getBoundingClientRect();
    const at = word.getBoundingClientRect();
    const left = clamp(at.left - around.left, 0, Math.max(0, around.width - note.offsetWidth));
    const is_above = at.bottom + note.offsetHeight + 8 > innerHeight;
    const top = is_above ? at.top - note.offsetHeight - 6 : at.bottom + 6;
    note.style.transform = `translate(${left}px, ${top - around.top}px)`;
    word.setAttribute("aria-describedby", note.id);
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    note.hidden = true;
  }

  for (const word of root.querySelectorAll("[data-term]")) {
    for (const type of ["pointerenter", "focus", "click"]) on(word, type, () => show(word));
    for (const type of ["pointerleave", "blur"]) on(word, type, () => root.getRootNode().activeElement !== word && hide());
  }
  on(root, "keydown", (event) => event.key === "Escape" && hide());
}

function connectHints(root, on) {
  const hints = root.querySelector('[data-part="hints"]');
  hints.hidden = isRemembered();
  on(hints.querySelector("button"), "click", () => {
    hints.hidden = true;
    root.querySelector('[data-handle="neg"]').focus({ preventScroll: true });
    try {
      localStorage.setItem(HINTS_SEEN, "yes");
    } catch {
      // A browser that keeps nothing shows them anew.
    }
  });
}

function isRemembered() {
  try {
    return localStorage.getItem(HINTS_SEEN) !== null;
  } catch {
    return false;
  }
}
