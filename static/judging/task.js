"use strict";
// One pair at a time, every choice saved as it is made. Without this script the page is one plain form.
(() => {
  const form = document.getElementById("task");
  const pairs = [...document.querySelectorAll("section.pair")];
  const last = document.getElementById("last");
  const pages = [...pairs, last];
  const saved = document.getElementById("saved");
  const trouble = document.getElementById("trouble");
  const dots = document.getElementById("dots");
  const back = document.getElementById("back");
  const forward = document.getElementById("forward");
  const stop = document.querySelector("footer.leave");
  const heading = document.getElementById("heading");
  const words = document.getElementById("place-words");
  const total = pairs.length;
  const waiting = [];          // choices not yet on the server, oldest first
  const made = new Map();      // slot -> how many choices were made in it so far
  let at = 0, shownAt = 0, sending = false, leaving = false;

  document.body.classList.add("one-at-a-time");
  document.querySelector("nav.steps").hidden = false;
  pairs.forEach(() => dots.append(document.createElement("li")));

  const chosen = (page) => page.querySelector("input:checked");
  const answered = () => pairs.filter(chosen).length;

  function show(index, focus = true) {
    at = Math.max(0, Math.min(index, pages.length - 1));
    pages.forEach((page, number) => { page.hidden = number !== at; });
    back.disabled = at === 0;
    forward.disabled = at >= pages.length - 1 || (at < total && !chosen(pages[at]));
    words.textContent = at < total ? `Pair ${at + 1} of ${total}` : `All ${total} pairs`;
    [...dots.children].forEach((dot, number) => {
      dot.className = (chosen(pairs[number]) ? "done" : "") + (number === at ? " here" : "");
    });
    heading.hidden = stop.hidden = at === total;
    shownAt = performance.now();
    window.scrollTo(0, 0);
    if (focus) pages[at].querySelector("[tabindex='-1']").focus({ preventScroll: true });
  }

  const post = (choice) => fetch(form.dataset.save, {
    method: "POST", body: new URLSearchParams(choice), credentials: "omit", keepalive: true,
  });

  // A copy of what waits, for a reload before it is sent; only a cache, and not in every frame.
  const cache = `unsent ${location.pathname}`;
  function keep() {
    try { sessionStorage.setItem(cache, JSON.stringify(waiting)); } catch (error) { /* no storage here */ }
  }
  function restore() {
    let kept = [];
    try { kept = JSON.parse(sessionStorage.getItem(cache)) || []; } catch (error) { return; }
    for (const choice of kept) {
      const page = pairs.find((pair) => pair.dataset.slot === choice.slot);
      const input = page && page.querySelector(`input[value='${choice.side}']`);
      if (!input) continue;
      input.checked = true;
      made.set(choice.slot, Math.max(made.get(choice.slot) ?? Number(page.dataset.made), Number(choice.sequence) + 1));
      waiting.push(choice);
    }
    if (waiting.length) send();
  }

  async function send() {
    if (sending) return;
    sending = true;
    while (waiting.length) {
      const choice = waiting[0];
      try {
        const reply = await post(choice);
        if (reply.status === 409) {
          const said = await reply.json();
          trouble.textContent = `${said.message}. Reload the page to see what this means.`;
          trouble.hidden = false;
          waiting.length = 0;
          keep();
          break;
        }
        if (!reply.ok && reply.status !== 400) throw new Error(reply.status);
        waiting.shift();
        keep();
        trouble.hidden = true;
      } catch (error) {
        trouble.textContent = `No connection. ${waiting.length} choice${waiting.length > 1 ? "s are" : " is"} kept here and sent when it is back.`;
        trouble.hidden = false;
        saved.textContent = "not saved yet";
        setTimeout(() => { sending = false; send(); }, 2000);
        return;
      }
    }
    sending = false;
    if (!waiting.length && trouble.hidden) saved.textContent = "saved just now";
  }

  function choose(page, side) {
    const input = page.querySelector(`input[value='${side}']`);
    if (!input) return;
    input.checked = true;
    const slot = page.dataset.slot;
    const count = made.get(slot) ?? Number(page.dataset.made);
    made.set(slot, count + 1);
    waiting.push({
      slot, side,
      sequence: String(count),
      seconds: ((performance.now() - shownAt) / 1000).toFixed(2),
    });
    keep();
    saved.textContent = "saving …";
    send();
    show(at + 1);
  }

  pairs.forEach((page) => page.addEventListener("click", (event) => {
    const input = event.target.closest("label.choice")?.querySelector("input");
    if (!input) return;
    event.preventDefault();
    choose(page, input.value);
  }));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const side = { 1: "left", 2: "right", 0: "undecided", ArrowLeft: "left", ArrowRight: "right" }[event.key];
    if (at < total && side) { event.preventDefault(); choose(pages[at], side); }
    else if (event.key === "Backspace") { event.preventDefault(); show(at - 1); }
  });
  back.addEventListener("click", () => show(at - 1));
  forward.addEventListener("click", () => show(at + 1));
  window.addEventListener("online", send);
  // What still waits goes out with the page; a choice that arrives twice is one choice.
  window.addEventListener("pagehide", () => waiting.forEach((choice) => post(choice).catch(() => {})));
  form.addEventListener("submit", (event) => {
    const stops = event.submitter && event.submitter.id === "leave";
    if (!stops && answered() < total) {
      event.preventDefault();
      show(pairs.findIndex((page) => !chosen(page)));
      return;
    }
    if (!waiting.length || leaving) return;
    // Let the last choices arrive first; the form carries them too, should that take long.
    event.preventDefault();
    leaving = true;
    const since = performance.now();
    const go = setInterval(() => {
      if (waiting.length && performance.now() - since < 5000) return;
      clearInterval(go);
      form.requestSubmit(event.submitter);
    }, 50);
  });
  restore();
  const first = pairs.findIndex((page) => !chosen(page));
  show(first < 0 ? total : first, false);
})();
