// Follows what happens at the practice. The page says which topics it shows:
//   data-live="TOPIC" data-fragment="ADDRESS"  is fetched again when something has changed
//   data-live="TOPIC" data-rows="ADDRESS"      has rows with data-id; of a row that has changed, only
//                                              what has data-part is fetched again, by its id
//   data-what="WORDS"                          only at these changes
//   data-of="ID"                               only of this request or appointment
//   data-every="SECONDS"                       also when nothing happens
//   data-counts                                is hidden while it is empty; its data-count is also in the title
// Without this script, the page loads itself again once a minute.
// Where nobody is (data-screen), the page loads its parts once a minute whatever happens, and
// itself once it may not.
"use strict";

const screen = "screen" in document.body.dataset;
const live = [...document.querySelectorAll("[data-live]")];
const topics = [...new Set(live.map((part) => part.dataset.live))].join(",");
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

// What the page says while it is not up to date. Short troubles are not worth a word.
const notes = {
  ended: "This page is not up to date, because you have been signed out.",
  many: "This page has stopped updating because you have too many tabs open. Close some and reload.",
  away: "This page is not up to date. We are trying to connect again.",
  unseen: "This page is not up to date. We are trying to load what has changed.",
  late: "Updates are delayed.",
  kept: "This page has changed. Reload to see the update. You will lose anything you have typed.",
};
const note = document.createElement("p");
note.className = "stale";
note.setAttribute("role", "status");
document.getElementById("main").append(note);
const says = new Set();
let saying;
const say = (why, yes, after = 0) => {
  if (yes === says.has(why)) return;
  says[yes ? "add" : "delete"](why);
  clearTimeout(saying);
  saying = setTimeout(() => {
    const why = Object.keys(notes).find((known) => says.has(known));
    note.replaceChildren();
    if (!why) return;
    const again = Object.assign(document.createElement("a"), { href: location.href, textContent: "Reload" });
    again.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
    note.append(notes[why] + " ", again);
  }, after);
};

// Nothing is replaced under somebody's hands.
let pressed = false;
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { setTimeout(() => { pressed = false; }); }, true);
const begun = (field) => {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.options) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  return field.type !== "hidden" && field.value !== field.defaultValue;
};
const inUse = (part) => part.querySelector("details[open]") || [...part.querySelectorAll("input, select, textarea")].some(begun);

// The focus stays on what it was on, as far as that is still there.
const signature = (e) => [e.tagName, e.id, e.name, e.value, e.textContent, e.getAttribute("href"), e.form && e.form.outerHTML].join("\n");
const replace = (part, html) => {
  const focus = part.contains(document.activeElement) && signature(document.activeElement);
  const template = document.createElement("template");
  template.innerHTML = html;
  part.replaceChildren(template.content);
  const same = focus && [...part.querySelectorAll("a, button, input, select, textarea, summary")].find((e) => signature(e) === focus);
  if (same) same.focus({ preventScroll: true });
};

const load = async (part) => {
  try {
    const answer = await fetch(part.dataset.fragment, { signal: AbortSignal.timeout(10000) });
    if (screen && answer.status === 403) location.reload();
    if (answer.status === 404 && "part" in part.dataset) return true; // the patient was erased
    if (!answer.ok || answer.redirected) return false;
    const html = await answer.text();
    if (html === part.shown) return true;
    for (; pressed || inUse(part); await wait(100)) say("kept", !pressed);
    replace(part, html);
    part.shown = html;
    if ("counts" in part.dataset) announce(part);
    return true;
  } catch {
    return false;
  }
};

// A part is loaded at once, and then at most twice a second.
const refresh = async (part) => {
  part.wanted = true;
  if (part.busy) return;
  for (part.busy = true; part.wanted;) {
    await wait((part.loaded || 0) + 500 - Date.now());
    part.wanted = false;
    part.loaded = Date.now();
    const fine = await load(part);
    say("kept", false);
    say("unseen", !fine, 5000);
    if (fine) continue;
    part.wanted = true;
    await wait(2000);
  }
  part.busy = false;
};

const refreshRow = (part, id) => {
  const cell = id && part.querySelector(`[data-id="${CSS.escape(id)}"] [data-part]`);
  if (!cell) return;
  cell.dataset.fragment = part.dataset.rows + id;
  refresh(cell);
};

// Notifications of the browser: how many requests came, and no names. A member of staff asks for
// them in this browser, and has them while the page is open.
const bell = document.getElementById("bell");
const wish = `notify ${document.body.dataset.events}`;
const stored = (value) => {
  try {
    if (value !== undefined) localStorage.setItem(wish, value);
    return localStorage.getItem(wish);
  } catch { return null; } // the browser stores nothing for this site
};
const notifies = () => bell && "Notification" in window && Notification.permission === "granted" && stored() === "yes";
const ring = (words) => {
  if (!notifies() || document.hasFocus() && !document.hidden) return;
  try {
    const shown = new Notification(bell.dataset.practice, { body: words, tag: wish, renotify: true });
    shown.onclick = () => { focus(); shown.close(); };
  } catch { /* this browser notifies only for apps that are installed */ }
};
const bellText = () => {
  const blocked = Notification.permission === "denied";
  bell.querySelector("button").textContent = notifies() ? "Stop notifications" : "Notify me of new requests";
  bell.querySelector("button").hidden = blocked;
  bell.querySelector("span").textContent = blocked ? "This browser blocks notifications from this site." :
    notifies() ? "This browser notifies you of new requests, without names, while this page is open." : "";
};
if (bell && "Notification" in window) {
  bell.hidden = false;
  bell.querySelector("button").addEventListener("click", async () => {
    if (notifies()) stored("no");
    else if (await Notification.requestPermission() === "granted") stored("yes");
    bellText();
  });
  bellText();
}

// A note template goes into the note where the cursor is.
const insert = document.querySelector("button[value=insert]");
if (insert) insert.addEventListener("click", (event) => {
  const text = document.getElementById("template").selectedOptions[0].dataset.text;
  if (!text) return;
  event.preventDefault();
  const note = document.getElementById("text");
  note.setRangeText(text, note.selectionStart, note.selectionEnd, "end");
  note.focus();
});

// announce shows a part that counts, and says the count in the title.
const title = document.title;
const announce = (part) => {
  const link = part.querySelector("[data-count]");
  const n = link ? Number(link.dataset.count) : 0;
  part.hidden = !link;
  document.title = link ? `(${n}) ${title}` : title;
  if (n > (part.counted || 0)) ring(link.textContent.replace(" – show", ""));
  part.counted = n;
};

// changed tells the parts of a topic; without one, something may have been missed.
const changed = ({ topic, what, id }) => {
  for (const part of live) {
    const { live: about, what: words, of, rows } = part.dataset;
    if (topic && about !== topic || words && what && !words.split(" ").includes(what) || of && id && of !== id) continue;
    if (rows) refreshRow(part, id);
    else refresh(part);
  }
};

// The browser connects again by itself, and names the last event that it knows. If the
// service refuses, that takes longer and longer.
let source, watch, again, tries = 0, since = document.body.dataset.since;
const close = () => {
  clearTimeout(watch);
  clearTimeout(again);
  if (source) source.close();
  source = undefined;
};
const later = () => {
  close();
  say("away", true, 5000);
  again = setTimeout(connect, Math.min(30000, 1000 * 2 ** tries++) * (0.5 + Math.random()));
};
const expect = () => {
  clearTimeout(watch);
  watch = setTimeout(later, 45000); // a beat comes every 20 s
};
const heard = (event) => {
  expect();
  tries = 0;
  since = event.lastEventId || since;
  say("away", false);
};
const connect = () => {
  close();
  source = new EventSource(`${document.body.dataset.events}?${new URLSearchParams({ topics, since })}`);
  source.onopen = heard;
  source.onmessage = (event) => { heard(event); changed(JSON.parse(event.data)); };
  source.onerror = () => {
    if (source && source.readyState === EventSource.CLOSED) later();
    else say("away", true, 5000);
  };
  const on = (word, then) => source.addEventListener(word, (event) => { heard(event); then(); });
  on("beat", () => say("late", false));
  on("late", () => say("late", true));
  on("reset", () => changed({}));
  on("ended", () => { close(); if (screen) location.reload(); else { say("ended", true); dispatchEvent(new Event("session")); } });
  on("many", () => { close(); say("many", true); });
  expect();
};

// A hidden page follows nothing, unless it notifies, and comes back to where it was.
const seen = () => {
  if (document.hidden && !notifies()) close();
  else if (!source && !says.has("ended")) connect();
  say("many", says.has("many") && document.hidden);
};
if (topics && document.body.dataset.events) {
  document.addEventListener("visibilitychange", seen);
  addEventListener("pagehide", close);
  addEventListener("pageshow", seen);
  seen();
  if (screen) setInterval(() => changed({}), 60000);
  for (const part of live) if (part.dataset.every) setInterval(() => { if (!document.hidden) refresh(part); }, 1000 * part.dataset.every);
}
