/* Two conveniences that no page requires: exact times in the reader's time zone, and live progress. */
"use strict";

/* "2026-11-21 16:47 EST": the server's format, in the reader's named time zone. */
function localTime(at, seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(at).find((part) => part.type === "timeZoneName");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}${seconds ? `:${two(at.getSeconds())}` : ""} ${zone.value}`;
}

/* Exact times are rewritten; pointing at one shows UTC. Pointing at "two hours ago" shows the exact time. */
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.getAttribute("datetime"));
    if (Number.isNaN(at.getTime())) continue;
    time.dataset.local = "";
    if (time.dataset.exact) {
      time.title = time.textContent;
      time.textContent = localTime(at, time.dataset.exact === "seconds");
    } else time.title = localTime(at, false);
  }
  /* A tooltip in a chart cannot contain elements. */
  for (const title of root.querySelectorAll("svg.chart title")) {
    title.textContent = title.textContent.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g, (_, day, time) => localTime(new Date(`${day}T${time}Z`), false));
  }
}

/* A reload would replace the answer to a form that was just sent, or the previous reload. */
let askedAt = -Infinity;
document.addEventListener("submit", (event) => { if (!event.defaultPrevented) askedAt = performance.now(); });
function reload() {
  if (performance.now() - askedAt < 30000) return;
  askedAt = performance.now();
  location.reload();
}

/* The awaited job is done: show the result, or mark the tab for somebody working in another one. */
function over() {
  if (!document.hidden) return reload();
  if (document.title.startsWith("✓")) return;
  document.title = `✓ ${document.title}`;
  const icon = document.querySelector("link[rel=icon]");
  icon.href = icon.dataset.done;
  document.addEventListener("visibilitychange", reload, { once: true });
}

/* Show a notice that the page is no longer updated, and why; "" removes the notice. */
let newest = new Date();
function stale(words) {
  let notice = document.getElementById("stale");
  if (!words) {
    newest = new Date();
    notice?.remove();
    return;
  }
  if (!notice) {
    notice = document.createElement("p");
    notice.id = "stale";
    notice.className = "notice attention";
    notice.setAttribute("role", "status");
    document.querySelector("main")?.prepend(notice);
  }
  const since = `Not updated since ${localTime(newest, false)}: ${words}`;
  if (notice.textContent !== since) notice.textContent = since;
}

/* A refresh was refused: signed out in another tab, or the session expired. */
function refused(reply) {
  if ([401, 403, 404].includes(reply.status)) stale("you were signed out, or this page is no longer there. Reload it to sign in.");
  else stale("the server does not respond as usual. This page tries again.");
}
const AWAY = "the connection is lost. This page tries again.";

async function refresh(part) {
  try {
    const reply = await fetch(part.dataset.refresh, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (!reply.ok) return refused(reply);
    stale("");
    const whole = new DOMParser().parseFromString(await reply.text(), "text/html").body;
    const fresh = part.dataset.part ? whole.querySelector(part.dataset.part) : whole;
    /* A new page without this part has another layout. */
    if (!fresh || fresh.querySelector("[data-over]")) return over();
    localTimes(fresh);
    if (fresh.textContent.trim() !== part.textContent.trim()) part.replaceChildren(...fresh.childNodes);
  } catch {
    stale(AWAY);
  }
}

localTimes(document);
const moving = document.querySelectorAll("[data-refresh]");
if (moving.length) {
  for (const part of moving) {
    let rounds = 0;
    setInterval(() => {
      /* A tab in the background refreshes less often. */
      if (!document.hidden || ++rounds % 3 === 0) refresh(part);
    }, Number(part.dataset.every) || 5000);
  }
}

function offerCopying() {
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = !navigator.clipboard;
}
offerCopying();
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const copied = button.parentElement.querySelector(".copied");
  await navigator.clipboard.writeText(copied.value ?? copied.textContent);
  button.textContent = "Copied";
});

/* The elements of a form's list: everything after it, up to the next heading. */
function listOf(form) {
  const parts = [];
  for (let part = form.nextElementSibling; part && part.tagName !== "H2"; part = part.nextElementSibling) parts.push(part);
  return parts;
}

/* Replaces the list with the one for the form's current values; fields being typed in are left alone. */
let asked = 0;
async function narrow(form, number) {
  const address = new URL(form.action), mine = ++asked;
  address.search = new URLSearchParams(new FormData(form));
  let fresh, whole;
  try {
    whole = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
    fresh = whole.querySelectorAll("form[data-at-once]")[number];
  } catch {
    return;
  }
  if (mine !== asked) return;
  if (!fresh) return form.requestSubmit();
  for (const part of listOf(form)) part.remove();
  form.after(...listOf(fresh));
  /* Other parts of the page that show the list, such as its figures. */
  const others = whole.querySelectorAll("[data-follows-filters]");
  for (const [place, part] of document.querySelectorAll("[data-follows-filters]").entries()) part.replaceWith(others[place] ?? "");
  document.dispatchEvent(new Event("list-replaced"));
  localTimes(document);
  offerCopying();
  history.replaceState(null, "", address);
}

/* Choices take effect at once, typed text after a pause; the button is for browsers without scripts. */
for (const [number, form] of document.querySelectorAll("form[data-at-once]").entries()) {
  let pause;
  form.addEventListener("change", (event) => {
    if (event.target.matches("select, input[list]")) form.requestSubmit();
    /* A date changes while it is typed, and several columns may be ticked: the form stays. */
    if (event.target.matches("input[type=checkbox], input[type=date]")) narrow(form, number);
  });
  form.addEventListener("input", (event) => {
    if (!event.target.matches("input[type=search]")) return;
    clearTimeout(pause);
    pause = setTimeout(narrow, 250, form, number);
  });
}
