"use strict";
// Show one pair at a time and save every choice immediately. Without these scripts, the page is one plain form.
(() => {
  const { watch, say, keys } = judging;
  const form = document.getElementById("task");
  const pairs = [...document.querySelectorAll("section.pair")];
  const first = document.getElementById("first");
  const pages = [first, ...pairs, document.getElementById("last")].filter(Boolean);
  const before = first ? 1 : 0;      // pages before the first pair
  const [saved, free, dots, back, forward, heading, words] = ["saved", "free", "dots", "back", "forward", "heading", "place-words"]
    .map((id) => document.getElementById(id));
  const stop = document.querySelector("footer.leave");
  const steps = document.querySelector("nav.steps");
  const progress = judging.progress(form, () => pairs.filter(chosen).length);
  const timeUp = document.getElementById("time-up");
  const total = pairs.length;
  const minimum = Number(form.dataset.minimum);
  const changed = new Map();         // slot -> when a choice was last made here
  const TWICE = 400;                 // milliseconds in which a second click at the same place is ignored
  const ANSWERED = 30000;            // milliseconds within which a submitted form gets a response
  let at = 0, leaving = false, wish = null, asked = 0, choseAt = 0, sentAt = -Infinity;

  const slotOf = (page) => page.dataset.slot;
  // The choice that counts, which may differ from the input: a browser checks an input before the click event.
  const chosen = (page) => page.dataset.side;
  const unchosen = () => pairs.findIndex((page) => !chosen(page));
  const inputOf = (page, side) => page.querySelector(`.choice input[value='${side}']`);
  const pairAt = () => pairs[at - before];

  document.body.classList.add("one-at-a-time");
  document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });
  pairs.forEach((page) => {
    page.dataset.side = page.querySelector(".choice input:checked")?.value || "";
    dots.append(document.createElement("li"));
  });

  let reporting;
  const queue = judging.queue(form,
    (done) => { if (done.to === "report") reporting.done(done.fields.slot); },
    (done, why) => {
      if (makeWay(why)) return;
      if (done.to === "report") { reporting.refused(done.fields.slot, why); return; }
      changed.delete(done.fields.slot);
      refresh(true);                 // show the choices that the server has, not the refused one
    });
  reporting = judging.reporting(queue);
  const endsIn = judging.deadline(form, () => { if (!leaving) sendOff(timeUp); });
  const reading = judging.reading(() => hold());
  const news = document.querySelector(".news");
  new ResizeObserver(() => document.documentElement.style.setProperty("--news", `${news.offsetHeight}px`)).observe(news);

  // Choices made from now on would not be saved: load the page that shows why, and what is paid.
  function makeWay({ over }) {
    // The response to a form that is being sent is the same page, and continues to the crowd's site.
    if (over && performance.now() - sentAt >= ANSWERED) location.replace(new URL(".", form.action));
    return Boolean(over);
  }
  function draw() {
    const pair = pairAt();
    back.disabled = at === before;
    forward.disabled = at >= pages.length - 1 || (pair && !chosen(pair));
    words.textContent = pair ? say("at", { at: at - before + 1, total }) : say(at < before ? "before" : "all", { total });
    [...dots.children].forEach((dot, number) => {
      dot.className = (chosen(pairs[number]) ? "done" : "") + (pairs[number] === pair ? " here" : "");
    });
    hold();
    progress();
  }
  function show(index, focus = true) {
    callOff();
    at = Math.max(0, Math.min(index, pages.length - 1));
    const pair = pairAt();
    pages.forEach((page, number) => { page.hidden = number !== at; });
    steps.hidden = at < before;
    heading.hidden = !pair;
    stop.hidden = at === pages.length - 1;
    watch.look(pair ? slotOf(pair) : null);
    reading.look(pair);
    draw();
    window.scrollTo(0, 0);
    if (!focus) return;
    const title = pages[at].querySelector("h2[tabindex]");
    // A question too long for its box can be scrolled by keyboard.
    if (pair) title.tabIndex = title.scrollHeight > title.clientHeight ? 0 : -1;
    title.focus({ preventScroll: true });
  }
  // A pair without an answer must be shown to the end of both passages and for the campaign's minimum time.
  function toWait(pair) {
    return chosen(pair) || !minimum ? 0 : Math.max(0, minimum - watch.shown(slotOf(pair)));
  }
  function held(pair) {
    if (chosen(pair)) return "";
    if (pair === pairAt() && reading.missing()) return say("unread");
    return toWait(pair) > 0 ? say("hold", { n: Math.ceil(toWait(pair)) }) : "";
  }
  function hold() {
    const pair = pairAt();
    if (!pair) return;
    const why = held(pair), wasHeld = pair.classList.contains("held");
    pair.classList.toggle("held", Boolean(why));
    pair.querySelector(".hold").textContent = why;
    if (wasHeld === Boolean(why)) return;
    // The line keeps its space on this pair, so that no button moves under the pointer.
    pair.querySelector(".choices").classList.add("was-held");
    // Screen readers announce that the choices are disabled, and once when they are enabled again.
    pair.querySelectorAll(".choice input").forEach((input) => {
      if (why) input.setAttribute("aria-disabled", "true"); else input.removeAttribute("aria-disabled");
    });
    free.textContent = why ? "" : say("free");
  }
  if (minimum) setInterval(hold, 250);

  function refuse(page) {
    if (reading.missing()) { saved.textContent = say("unread"); reading.show(); }
    else saved.textContent = say("soon", { n: Math.ceil(toWait(page)) });
  }
  function choose(page, side, event) {
    const input = inputOf(page, side);
    if (!input) return;
    if (held(page)) { refuse(page); return; }
    input.checked = true;
    choseAt = Date.now();
    if (chosen(page) === side) { show(at + 1); return; }
    page.dataset.side = side;
    const slot = slotOf(page), seen = watch.take(slot), made = Number(page.dataset.made);
    page.dataset.made = made + 1;
    changed.set(slot, Date.now());
    queue.add("save", {
      slot, side, sequence: made,
      seconds: seen.shown.toFixed(2), hidden: seen.hidden.toFixed(2), lost: seen.lost,
      input: watch.method(event), viewport: watch.viewport(),
    });
    show(at + 1);
  }

  // Load choices saved in another window of the task; later choices in this window stay.
  async function refresh(now = false) {
    queue.hasten();
    if (now !== true && Date.now() - asked < 2000) return;
    const since = asked = Date.now(), onTheWay = new Set(pairs.map(slotOf).filter(queue.has));
    try {
      const reply = await fetch(form.dataset.state, { credentials: "omit", cache: "no-store" });
      const known = await reply.json();
      if (makeWay(known)) return;
      if (reply.status === 409) { queue.complain(say("refused", known)); return; }
      if (!reply.ok) return;
      endsIn(known.left, since);
      let news = false;
      for (const page of pairs) {
        const slot = slotOf(page), [side, made] = known.choices[slot] || ["", 0];
        if (onTheWay.has(slot) || queue.has(slot) || (changed.get(slot) || 0) >= since) continue;
        page.dataset.made = Math.max(made, Number(page.dataset.made));
        if (chosen(page) === side) continue;
        page.querySelectorAll(".choice input").forEach((input) => { input.checked = input.value === side; });
        page.dataset.side = side;
        news = true;
      }
      if (!news) return;
      if (now !== true) saved.textContent = say("elsewhere");
      draw();
    } catch (error) { /* no connection: keep the choices until it is back */ }
  }
  window.addEventListener("focus", refresh);
  window.addEventListener("pageshow", (event) => { if (event.persisted) { sentAt = -Infinity; refresh(); } });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

  pairs.forEach((page) => page.addEventListener("click", (event) => {
    const input = event.target.closest("label.choice")?.querySelector("input");
    if (!input) return;
    // The second click of a double click would hit the next pair.
    const counts = event.detail < 2 || Date.now() - choseAt > TWICE;
    // The space bar and nearby touches click the input itself: canceling would uncheck it again.
    if (event.target !== input || !counts || held(page)) event.preventDefault();
    if (counts) choose(page, input.value, event);
  }));
  // Among the choices, the up and down arrows only move, as in a toolbar: with a screen reader, one can hear every
  // choice before making one.
  function move(input, by) {
    const inputs = [...input.closest("section.pair").querySelectorAll(".choice input")];
    inputs.at((inputs.indexOf(input) + by) % inputs.length).focus();
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches(".report input")) {
      event.preventDefault();
      if (!event.repeat) reporting.send(pairAt());
    }
    if (event.target.closest("textarea, .report fieldset, label.keys") || event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target.closest(".choice input"), by = on && keys.steps()[event.key];
    const side = on && [" ", "Enter"].includes(event.key) ? on.value : keys.on() && keys.SIDES[event.key];
    if (by) { event.preventDefault(); move(on, by); }
    else if (pairAt() && side) { event.preventDefault(); if (!event.repeat) choose(pairAt(), side, event); }
    else if (event.key === "Backspace" && keys.on()) { event.preventDefault(); if (at > before) show(at - 1); }
  });
  document.getElementById("begin")?.addEventListener("click", () => show(before));
  back.addEventListener("click", () => show(at - 1));
  forward.addEventListener("click", () => show(at + 1));
  document.getElementById("comment").addEventListener("paste", () => {
    if (!form.elements.pasted) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "pasted", value: "1" }));
  });

  // Submitting without a connection would lose the page, the waiting choices and the comment. So first let the last
  // choices arrive and check that the server answers. Choices not saved within half a minute go with the form.
  // Going to a pair or choosing in the meantime cancels the submission.
  async function sendOff(by) {
    // A second submission would replace the response, and only the first one continues to the crowd's site automatically.
    if (wish?.by === by || performance.now() - sentAt < ANSWERED) return;
    const mine = wish = { by };
    const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
    for (let answers = 0; wish === mine;) {
      try {
        await fetch(form.dataset.state, { credentials: "omit", cache: "no-store", signal: AbortSignal.timeout?.(15000) });
        if (!queue.size() || (answers += 1) > 100) break;
        await pause(300);
      } catch (error) {
        if (wish === mine) queue.tellInstead({ send: "away", leave: "stopping", "time-up": "late" }[by.id]);
        await pause(1500);
      }
    }
    if (wish !== mine) return;
    wish = null;
    queue.tellInstead("");
    leaving = true;
    sentAt = performance.now();
    form.requestSubmit(by);
  }
  function callOff() {
    if (!wish || wish.by === timeUp) return;
    saved.textContent = say(wish.by.id === "send" ? "kept" : "going");
    wish = null;
    queue.tellInstead("");
  }

  form.addEventListener("submit", (event) => {
    const by = event.submitter;
    if (by?.name === "report") { event.preventDefault(); reporting.send(by.closest("section.pair")); return; }
    // Nothing else submits the task, whatever key a browser uses for it.
    if (!["send", "leave", "time-up"].includes(by?.id)) { event.preventDefault(); return; }
    if (by.id === "send" && unchosen() >= 0) {
      event.preventDefault();
      show(before + unchosen());
      return;
    }
    if (!leaving) {
      event.preventDefault();
      sendOff(by);
      return;
    }
    // Saved choices are not sent again: another window may have changed them.
    pairs.forEach((page) => { if (!queue.has(slotOf(page))) page.querySelectorAll(".choice input").forEach((input) => { input.disabled = true; }); });
    setTimeout(() => {
      leaving = false;
      form.querySelectorAll(".choice input").forEach((input) => { input.disabled = false; });
    });
  });

  for (const { to, fields } of queue.kept) {
    const page = to === "save" && pairs.find((pair) => slotOf(pair) === fields.slot);
    const input = page && inputOf(page, fields.side);
    if (!input) continue;
    input.checked = true;
    page.dataset.side = fields.side;
    page.dataset.made = Math.max(Number(page.dataset.made), fields.sequence + 1);
  }
  if (queue.size()) queue.send();
  const linked = pairs.findIndex((page) => `#${page.id}` === location.hash);
  const open = unchosen();
  let start = open < 0 ? pages.length - 1 : before + open;
  if (first && !queue.kept.length) start = 0;
  if (linked >= 0) start = before + linked;
  show(start, false);
})();
