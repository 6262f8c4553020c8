// Says that a session is about to end, and hides a page whose session has ended. Typed
// text stays in the page. All times are spans that the service tells, and no clock.
// Typing counts as use of the page. Without this script the page works as well.
"use strict";
{
  const page = document.body.dataset;
  const early = 120000, minute = 60000;
  const typing = (form) => form.method === "post" && !form.dataset.passkey && !form.querySelector("[type=password]") &&
    [...form.querySelectorAll("textarea, input:not([type=hidden], [type=checkbox], [type=radio])")].some((field) => field.value);
  let idleAt, limitAt, timer, typed = false, last, warning, panel, title, kept;

  const add = (to, tag, text, more = {}) => to.appendChild(Object.assign(document.createElement(tag), { textContent: text, ...more }));
  const left = () => Math.min(idleAt, limitAt) - performance.now();
  const know = ({ idle, limit }) => {
    idleAt = performance.now() + Number(idle);
    limitAt = performance.now() + Number(limit);
  };

  // check asks the service, which knows what other tabs do. stay counts as use of the pages.
  const check = async (stay) => {
    clearTimeout(timer);
    if (stay) typed = false;
    try {
      const how = stay ? { method: "POST", body: new URLSearchParams({ token: page.token }) } : {};
      const answer = await fetch(page.session + (stay ? "" : "?fragment"), { ...how, signal: AbortSignal.timeout(10000) });
      if (stay && !answer.ok) return check(false);
      if (answer.ok) {
        const session = await answer.json();
        if (session.member !== page.member) return end();
        know(session);
        comeBack();
      }
    } catch { /* it goes on by what is known */ }
    plan();
  };

  const plan = () => {
    clearTimeout(timer);
    if (panel) return;
    if (left() <= 0) return end();
    warn(left() <= early);
    const next = left() <= early ? 5000 : document.hidden ? left() - early : Math.min(minute, left() - early);
    timer = setTimeout(() => check(typed), Math.max(1000, Math.min(next, left())));
  };

  const warn = (soon) => {
    const why = !soon ? "" : limitAt <= idleAt ? "limit" : "idle";
    if (why === (warning ? warning.dataset.why : "")) return;
    if (warning) warning.remove();
    warning = undefined;
    if (!why) return;
    warning = document.createElement("div");
    warning.className = "caution ending";
    warning.dataset.why = why;
    warning.setAttribute("role", "alert");
    document.body.prepend(warning);
    const text = add(warning, "p", "You will be signed out in less than two minutes. ");
    if (why === "limit") return text.append("This session has reached its limit, so you cannot stay signed in. Save your text now, or submit it after you sign in again.");
    text.append("You have not used these pages for some time.");
    add(warning, "button", "Stay signed in", { type: "button" }).addEventListener("click", () => check(true));
  };

  // end takes the content out of the page. If a form has text, the script keeps all of it until
  // the form comes back, or its member does; of other pages nothing stays.
  const end = () => {
    clearTimeout(timer);
    if (panel) return;
    if (warning) warning.remove();
    const form = last && last.isConnected && typing(last) ? last : [...document.querySelectorAll("main form")].find(typing);
    kept = form && document.createElement("div");
    if (form) kept.append(...document.body.childNodes);
    document.body.replaceChildren();
    title = document.title;
    document.title = "You have been signed out";
    panel = add(document.body, "main", "", { className: "width", tabIndex: -1 });
    add(panel, "h1", document.title);
    panel.focus();
    if (!form) {
      add(add(panel, "p", ""), "a", "Sign in", { href: page.signIn });
      return;
    }
    add(panel, "p", "This page is hidden. Your text is still in it, and has not been saved.");
    add(panel, "button", "Sign in, and see your text", { type: "button" }).addEventListener("click", () => {
      kept.hidden = true;
      document.body.append(kept);
      form.noValidate = true;
      add(form, "input", "", { type: "hidden", name: "again" }); // it does nothing but come back
      form.requestSubmit(form.querySelector("button"));
    });
  };

  // comeBack shows a hidden page again, after its member has signed in on another page.
  const comeBack = () => {
    if (!panel) return;
    panel.remove();
    panel = undefined;
    if (!kept) return location.reload();
    document.title = title;
    document.body.append(...kept.childNodes);
    kept.remove();
  };

  addEventListener("input", (event) => {
    typed = true;
    last = event.target.form;
  });
  addEventListener("session", () => check(false)); // a live page has heard of its end
  addEventListener("focus", () => check(typed));
  addEventListener("pageshow", (event) => { if (event.persisted) check(false); });
  document.addEventListener("visibilitychange", () => { if (typed || !document.hidden) check(typed); }); // a hidden page is slow to ask
  if (page.address) history.replaceState(null, "", page.address);
  know(page);
  plan();
}
