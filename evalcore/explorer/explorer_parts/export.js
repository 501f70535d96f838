// Files: each asked for with a sequence number, saved when the answer with that number comes, asked for again if none.

const PATIENCE = 4000; // ms before an unanswered export is asked for again
const TRIES = 4;

// ask(message): send it. changed(): the label is to be written. report(text): tell the person.
function makeExporter({ ask, changed, report }) {
  let asked = null;

  // makeMessage(): what to ask for, made only where nothing else is under way.
  function start(makeMessage) {
    if (asked) return;
    asked = { message: makeMessage(), tries: 0 };
    send();
  }

  function send() {
    asked.tries += 1;
    asked.timer = setTimeout(again, PATIENCE);
    ask(asked.message);
    changed();
  }

  function again() {
    if (asked.tries < TRIES) send();
    else finish("The file did not arrive. Please try again.");
  }

  function take(reply) {
    if (reply.seq !== asked?.message.seq) return;
    if (reply.content !== null) saveFile(reply.file_name, reply.content, reply.media_type);
    finish(reply.content === null ? reply.fault : `Saved ${reply.file_name}`);
  }

  function finish(text) {
    clearTimeout(asked.timer);
    asked = null;
    report(text);
    changed();
  }

  return {
    start,
    take,
    stop: () => clearTimeout(asked?.timer),
    isUnderWay: (name) => asked?.message.name === name,
  };
}

let last_sequence = 0;

// Grows over reloads too, so that an answer to an earlier page is never taken for one to this.
function nextSequence() {
  last_sequence = Math.max(last_sequence + 1, Date.now());
  return last_sequence;
}

function saveFile(name, content, media_type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: media_type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
