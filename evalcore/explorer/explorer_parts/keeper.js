// Keeps the point: where the handles stand, what the server knows of it, and the way back.

const KEY_PAUSE = 300; // ms without a key before the server is told
const HISTORY = 100;

class PointKeeper {
  // tell(message): the server is told. changed(): the screen is drawn anew. note(text): the person is told.
  constructor({ tell, changed, note }) {
    Object.assign(this, { tell, changed, note });
    this.counts = null;
    this.data_id = null;
    this.is_alone = false; // nobody counts a threshold that the arrays do not hold
    this.forget();
  }

  forget() {
    clearTimeout(this.key_timer);
    this.key_timer = null;
    this.point = null; // { neg, pos } as shown
    this.committed = null; // the same as last told to, or by, the server
    this.before_drag = null; // while a handle is held
    this.held_news = null;
    this.revision = -1;
    this.history = []; // earlier points, oldest first
    this.future = []; // points that were undone, the next one last
  }

  use(counts, data_id, is_alone) {
    this.counts = counts;
    this.is_alone = is_alone;
    if (this.data_id !== data_id) this.forget();
    else if (this.point) this.recount();
    this.data_id = data_id;
  }

  // The same texts on other arrays: on a grid, their indices have moved.
  recount() {
    const again = (point) => point && this.read(point.neg.text, point.pos.text);
    this.point = again(this.point);
    this.committed = again(this.committed);
    this.before_drag = again(this.before_drag);
    this.history = this.history.map(again);
    this.future = this.future.map(again);
  }

  read(tau_neg, tau_pos) {
    return {
      neg: thresholdFromText(this.counts, tau_neg, "neg"),
      pos: thresholdFromText(this.counts, tau_pos, "pos"),
    };
  }

  hear(news) {
    if (!this.counts || news.data_id !== this.data_id) return;
    if (this.before_drag || this.key_timer !== null) {
      this.held_news = news; // the hand on the handle comes first
      return;
    }
    if (news.revision <= this.revision) return;
    if (this.committed) this.remember(this.committed);
    this.revision = news.revision;
    this.point = this.committed = this.read(news.tau_neg, news.tau_pos);
    this.note("");
    this.changed();
  }

  // Moving

  moveTo(side, index) {
    const { counts, point } = this;
    const other = point[side === "neg" ? "pos" : "neg"];
    const allowed =
      side === "neg"
        ? clamp(index, 0, Math.min(counts.n_scores - 1, other.index))
        : clamp(index, other.index, counts.n_scores);
    const is_stopped = allowed !== index && allowed === other.index;
    this.note(is_stopped ? "The handles meet: τ neg is never above τ pos." : "");
    const moved = thresholdAt(counts, allowed, side);
    this.place(side, isCrossed(side, moved, other) ? { ...other } : moved);
  }

  // A typed threshold keeps its text and is counted literally; one that passes the other is not taken. On a grid that
  // nobody refines, one between two points becomes the next that is known.
  setText(side, typed) {
    const literal = thresholdFromText(this.counts, typed, side);
    const is_known = literal.is_exact || !this.is_alone;
    const moved = is_known ? literal : thresholdAt(this.counts, literal.index, side);
    const { text } = moved;
    const other = this.point[side === "neg" ? "pos" : "neg"];
    if (isCrossed(side, moved, other)) {
      const fault = side === "neg" ? `above τ pos, ${other.text}` : `below τ neg, ${other.text}`;
      this.note(`Not taken: τ ${side} ${text} is ${fault}. Still ${this.point[side].text ?? "none"}.`);
      this.changed();
      return;
    }
    this.note(is_known ? "" : `τ ${side} ${typed} lies between two thresholds of this file; taken: ${text ?? "none"}.`);
    if (text === this.point[side].text) {
      this.changed();
      return;
    }
    this.place(side, moved);
    this.commit();
  }

  place(side, threshold) {
    const here = this.point[side];
    if (threshold.text === here.text && threshold.index === here.index) return;
    this.point = { ...this.point, [side]: threshold };
    this.changed();
  }

  grab() {
    if (this.key_timer !== null) this.commit();
    this.before_drag = this.point;
  }

  letGo({ give_up }) {
    if (give_up) this.point = this.before_drag;
    this.before_drag = null;
    this.commit();
  }

  // Telling the server

  commit() {
    clearTimeout(this.key_timer);
    this.key_timer = null;
    if (isSamePoint(this.point, this.committed)) this.hearHeld();
    else {
      this.remember(this.committed);
      this.tellServer();
    }
    this.changed();
  }

  commitSoon() {
    clearTimeout(this.key_timer);
    this.key_timer = setTimeout(() => this.commit(), KEY_PAUSE);
  }

  commitNow() {
    if (this.key_timer !== null) this.commit();
  }

  tellServer() {
    this.committed = this.point;
    this.revision = Math.max(this.revision, this.held_news?.revision ?? -1) + 1;
    this.held_news = null;
    this.tell(this.message());
  }

  hearHeld() {
    const news = this.held_news;
    this.held_news = null;
    if (news) this.hear(news);
  }

  message() {
    const { point, revision, data_id } = this;
    return { tau_neg: point.neg.text, tau_pos: point.pos.text, revision, data_id };
  }

  // The way back

  remember(point) {
    this.future = [];
    this.history.push(point);
    if (this.history.length > HISTORY) this.history.shift();
  }

  // Every point from the oldest to the last that was undone, and which of them stands.
  timeline() {
    return { points: [...this.history, this.committed, ...this.future.toReversed()], now: this.history.length };
  }

  goTo(at) {
    this.commitNow();
    const { points, now } = this.timeline();
    if (at === now || !points[at]) return;
    this.history = points.slice(0, at);
    this.future = points.slice(at + 1).toReversed();
    this.point = points[at];
    this.tellServer();
    this.note("");
    this.changed();
  }

  undo() {
    this.commitNow();
    this.goTo(this.history.length - 1);
  }

  redo() {
    this.commitNow();
    this.goTo(this.history.length + 1);
  }
}

function isCrossed(side, threshold, other) {
  if (threshold.value === null || other.value === null) return false;
  return side === "neg" ? threshold.value > other.value : threshold.value < other.value;
}

function isSamePoint(one, other) {
  return one.neg.text === other.neg.text && one.pos.text === other.pos.text;
}
