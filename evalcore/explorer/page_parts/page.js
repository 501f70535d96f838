// The explorer as a page of its own: what a server would send is inside it, and nobody is told what is looked at.
// The explorer's own script comes before this file.

const given = JSON.parse(document.getElementById("given").textContent);
const host = document.getElementById("host");
const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
let is_dark = system.matches;

function paint() {
  document.documentElement.dataset.theme = is_dark ? "dark" : "light";
  theme.textContent = is_dark ? "Light colours" : "Dark colours";
  explorer({ parentElement: host, data: given.payload, setStateValue() {}, setTriggerValue() {} });
}

function turn(to_dark) {
  is_dark = to_dark;
  paint();
}

openChannel(given.payload.channel).news = given.news;
theme.addEventListener("click", () => turn(!is_dark));
system.addEventListener("change", () => turn(system.matches));
paint();
