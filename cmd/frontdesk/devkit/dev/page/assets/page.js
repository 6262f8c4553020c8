// Follows what happens: whenever the page would show something else, it is fetched again,
// and its parts (data-live) that differ are replaced. What is open stays open, and the
// focus stays where it was.
"use strict";

const note = document.getElementById("stale");
const parts = () => [...document.querySelectorAll("[data-live]")];
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

// Nothing is replaced under somebody's hands.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { setTimeout(() => { pressed = false; }); }, true);

const replace = (part, fresh) => {
  if (!fresh || part.innerHTML === fresh.innerHTML) return;
  const open = [...part.querySelectorAll("details[open]")].map((e) => e.id);
  const focus = part.contains(document.activeElement) ? document.activeElement.id : "";
  part.replaceChildren(...fresh.childNodes);
  for (const id of open) {
    const again = document.getElementById(id);
    if (again) again.open = true;
  }
  const same = focus && document.getElementById(focus);
  if (same) same.focus({ preventScroll: true });
};

// The text of an element is copied by the button that names it.
const offer = (page) => {
  for (const button of page.querySelectorAll("[data-copy]")) button.hidden = false;
};
addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
});
offer(document);

const load = async () => {
  const answer = await fetch(location.pathname + location.search, { signal: AbortSignal.timeout(30000) });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  while (pressed) await wait(50);
  offer(fresh);
  for (const part of parts()) replace(part, fresh.getElementById(part.id));
};

const stale = (yes) => {
  note.textContent = yes ? "This page is not up to date: frontdesk dev does not answer. Is it still running?" : "";
};

// One fetch at a time, and at most three a second.
let wanted = false, busy = false;
const refresh = async () => {
  wanted = true;
  if (busy) return;
  for (busy = true; wanted;) {
    wanted = false;
    try {
      await load();
      stale(false);
    } catch {
      stale(true);
    }
    await wait(300);
  }
  busy = false;
};

// The browser connects again by itself, unless it was refused.
const connect = () => {
  const source = new EventSource("/events");
  source.onmessage = refresh;
  source.onerror = () => {
    stale(true);
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 3000);
  };
};
connect();
