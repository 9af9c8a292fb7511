"use strict";
// Unsaved choices, oldest first, stored until the server has them: they survive a lost connection, sleep and a reload.
judging.queue = (form, said, refused) => {
  const saved = document.getElementById("saved");
  const trouble = document.getElementById("trouble");
  const cache = `unsent ${location.pathname}`;   // only a cache, which some frames do not have
  let waiting = [], sending = false, timer = 0;
  let stuck = "", lost = "";   // why nothing is being sent; what the server refused
  let instead = "";            // shown instead while the task waits to be submitted

  try { waiting = JSON.parse(sessionStorage.getItem(cache)) || []; } catch (error) { /* storage is unavailable */ }
  const kept = [...waiting];
  function keep() {
    try { sessionStorage.setItem(cache, JSON.stringify(waiting)); } catch (error) { /* storage is unavailable */ }
  }
  // A request without a response counts as a lost connection.
  const post = (one) => fetch(form.dataset[one.to], {
    method: "POST", credentials: "omit", keepalive: true, signal: AbortSignal.timeout?.(15000),
    body: new URLSearchParams({ ...one.fields, age: (Math.max(0, Date.now() - one.at) / 1000).toFixed(2) }),
  });
  function complain(words) {
    trouble.textContent = words;
    trouble.hidden = !words;
  }
  function tell() {
    const n = waiting.length;
    if (instead) complain(judging.say(instead) + (n ? ` ${judging.say("waiting", { n })}` : ""));
    else complain(stuck ? judging.say(stuck, { n }) : lost);
  }
  function later(seconds, why = "") {
    stuck = why;
    if (why) { tell(); saved.textContent = judging.say("unsaved"); }
    timer = setTimeout(() => { timer = 0; sending = false; send(); }, seconds * 1000);
  }

  async function send() {
    if (sending) return;
    sending = true;
    let why = null;
    while (waiting.length) {
      let reply;
      try { reply = await post(waiting[0]); } catch (error) { return later(2, "offline"); }
      why = reply.status === 409 ? await reply.json().catch(() => ({ message: "409" })) : null;
      if (why && "wait" in why) return later(why.wait);
      if (!reply.ok && !why) return later(Number(reply.headers.get("Retry-After")) || 3, "failing");
      const done = waiting.shift();   // drop only the refused entry: later entries may be accepted
      keep();
      stuck = "";
      if (why) lost = judging.say("refused", why);
      tell();
      if (why) refused(done, why); else said(done);
    }
    sending = false;
    if (saved.textContent) saved.textContent = judging.say(why ? "unsaved" : "saved");
  }
  function hasten() {            // the connection may be back: end the wait early
    if (!timer || !waiting.length) return;
    clearTimeout(timer);
    timer = 0;
    sending = false;
    send();
  }
  window.addEventListener("online", hasten);
  // Send waiting entries when the person leaves the page; an entry that arrives twice counts once.
  window.addEventListener("pagehide", () => waiting.forEach((one) => post(one).catch(() => {})));

  return {
    kept, send, hasten, complain,
    tellInstead(name) { instead = name; tell(); },
    add(to, fields) { waiting.push({ to, fields, at: Date.now() }); keep(); saved.textContent = judging.say(stuck ? "unsaved" : "saving"); if (stuck) tell(); send(); },
    size: () => waiting.length,
    has: (slot) => waiting.some((one) => one.to === "save" && one.fields.slot === slot),
  };
};
