// Loads the page again every few seconds and puts its new <main> in place of the old one, for as long as somebody looks.
// It runs under the policy script-src 'self'; connect-src 'self'.
"use strict";

const seconds = Number(document.body.dataset.refresh) || 2;
const live = document.getElementById("live");
const state = document.createElement("span");
const button = document.createElement("button");
let paused = false;

button.type = "button";
button.addEventListener("click", () => {
  paused = !paused;
  show();
});
live.append(state, " ", button);

function show(problem) {
  button.textContent = paused ? "resume" : "pause";
  state.textContent = problem || (paused ? "paused" : "every " + seconds + " s");
  state.className = problem ? "bad" : "soft";
}

// dress adds to a fresh <main> what only works with script.
function dress(main) {
  const code = main.querySelector("[data-part=command] code");
  if (!code || !navigator.clipboard) return;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "copied";
  });
  code.after(" ", copy);
}

// busy reports whether a new <main> would disturb a reader who selects text or hovers over a chart.
function busy() {
  const s = document.getSelection();
  return s && !s.isCollapsed || document.querySelector("main svg rect.at:hover") !== null;
}

// keep carries over what is open, scrolled sideways, and focused. Pools may have the same name: the first one's parts
// are the first with their key.
function keep(old, main) {
  const byKey = root => Map.groupBy(root.querySelectorAll("details"), d => d.dataset.key);
  const focused = document.activeElement.closest("main details");
  const next = byKey(main);
  let focus;
  for (const [key, list] of byKey(old)) list.forEach((d, i) => {
    const to = next.get(key)?.[i];
    if (!to) return;
    if (d === focused) focus = to;
    if (!d.open) return;
    to.open = true;
    const from = d.querySelector(".wide"), wide = to.querySelector(".wide");
    if (from && wide) {
      const left = from.scrollLeft;
      requestAnimationFrame(() => { wide.scrollLeft = left; });
    }
  });
  return focus;
}

async function refresh() {
  if (paused || document.hidden || busy()) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status + " " + answer.statusText);
    const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (paused) return;
    const old = document.querySelector("main");
    const focused = keep(old, main);
    dress(main);
    old.replaceWith(main);
    if (focused) focused.querySelector("summary").focus({ preventScroll: true });
    document.body.dataset.refreshed = Number(document.body.dataset.refreshed || 0) + 1;
    show();
  } catch (e) {
    show("no answer: " + e.message);
  }
}

async function loop() {
  await refresh();
  setTimeout(loop, 1000 * seconds);
}

dress(document.querySelector("main"));
show();
setTimeout(loop, 1000 * seconds);
