// Finds pages that hold all typed words. The index is loaded when somebody begins to search.
"use strict";
const root = document.currentScript.dataset.root;
const form = document.querySelector(".search");
const field = document.getElementById("search");
const found = document.getElementById("found");
const results = document.getElementById("results");
const most = 20;
form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());

function load() {
  if (window.frontdeskPages || document.getElementById("search-index")) return;
  const script = document.createElement("script");
  script.id = "search-index";
  script.src = root + "guides/search-index.js";
  script.addEventListener("load", show);
  document.head.append(script);
}

// A word in a title counts more than one in the text.
function rank(page, words) {
  const title = page.title.toLowerCase(), text = page.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (!text.includes(word) && !title.includes(word)) return 0;
    sum += (title.includes(word) ? 50 : 0) + Math.min(text.split(word).length, 10);
  }
  return sum;
}

function around(text, word) {
  const at = Math.max(text.toLowerCase().indexOf(word) - 60, 0);
  return (at > 0 ? "…" : "") + text.slice(at, at + 160) + "…";
}

function show() {
  results.replaceChildren();
  found.textContent = "";
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length || !window.frontdeskPages) return;
  const hits = window.frontdeskPages.map((page) => ({ page, rank: rank(page, words) }))
    .filter((hit) => hit.rank > 0).sort((a, b) => b.rank - a.rank);
  found.textContent = hits.length === 1 ? "1 page" : hits.length + " pages";
  for (const { page } of hits.slice(0, most)) {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = root + page.address;
    link.textContent = page.title;
    text.textContent = around(page.text, words[0]);
    item.append(link, text);
    results.append(item);
  }
}

field.addEventListener("focus", load, { once: true });
field.addEventListener("input", () => { load(); show(); });
