// Keyboard shortcuts, for members of staff who have switched them on under Account. A key does
// nothing while a field has the focus, or with Ctrl, Alt or the Windows key.
"use strict";
{
  const keys = [
    ["J", "Next request or row"], ["K", "Previous request or row"], ["T", "Take the request"],
    ["N", "Write a note"], ["/", "Find a patient"], ["?", "Show this list"],
  ];
  const step = (forward) => {
    const link = document.querySelector(`a[rel=${forward ? "next" : "prev"}]`);
    if (link) return link.click();
    const rows = [...document.querySelectorAll(".list tbody th a")];
    const at = rows.findIndex((row) => row.closest("tr").contains(document.activeElement));
    const row = rows[at < 0 ? (forward ? 0 : rows.length - 1) : at + (forward ? 1 : -1)];
    if (row) row.focus();
  };
  const take = () => {
    const row = document.activeElement.closest("tr");
    const button = (row || document.getElementById("main")).querySelector("button[value=take]");
    if (button && (row || button.closest(".bar"))) button.click();
  };
  const focus = (id) => {
    const field = document.getElementById(id);
    if (field) field.focus();
  };
  let list;
  const help = () => {
    if (!list) {
      list = document.createElement("dialog");
      list.setAttribute("aria-labelledby", "shortcuts");
      const add = (to, tag, text, more = {}) => to.appendChild(Object.assign(document.createElement(tag), { textContent: text, ...more }));
      add(list, "h2", "Keyboard shortcuts", { id: "shortcuts" });
      const table = add(list, "dl", "", { className: "facts" });
      for (const [key, words] of keys) {
        const line = add(table, "div", "");
        add(add(line, "dt", ""), "kbd", key);
        add(line, "dd", words);
      }
      add(list, "p", "You can switch them off under Account.");
      add(add(list, "form", "", { method: "dialog" }), "button", "Close", { className: "other" });
      document.body.append(list);
    }
    list.showModal();
  };
  const acts = {
    j: () => step(true), k: () => step(false), t: take, n: () => focus("text"), "/": () => focus("seek"), "?": help,
  };
  addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.defaultPrevented || event.isComposing) return;
    if (at.closest && at.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
