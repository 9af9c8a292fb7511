/* Replaces the changing parts of a page with new ones. It pauses while the tab is hidden, and on request. */
"use strict";

const EVERY = 5000;
const SPEAK_EVERY = 30000;

function livePart(page) {
  const url = page.dataset.live;
  const hold = document.getElementById("hold");
  const spoken = document.getElementById("announced");
  let held = false;
  let spokenAt = 0;
  let busy = false;

  function speak(words) {
    /* Announced at most twice a minute: the numbers change all the time. */
    if (!spoken || !words || words === spoken.textContent || Date.now() - spokenAt < SPEAK_EVERY) return;
    spoken.textContent = words;
    spokenAt = Date.now();
  }

  function replace(fresh) {
    const known = new Map([...page.children].map((part) => [part.id, part]));
    let last = null;
    for (const part of [...fresh.children]) {
      const old = known.get(part.id);
      known.delete(part.id);
      if (!old) {
        if (last) last.after(part);
        else page.prepend(part);
        localTimes(part);
        last = part;
        continue;
      }
      last = old;
      if (old.dataset.came === part.outerHTML) continue;
      /* Do not update under somebody who reads a list, fills in a field or is about to press a button. */
      if (old.contains(document.activeElement)) continue;
      const html = part.outerHTML;
      for (const open of old.querySelectorAll("details[open][id]")) {
        const same = part.querySelector(`#${open.id}`);
        if (same) same.open = true;
      }
      part.dataset.came = html;
      old.replaceWith(part);
      localTimes(part);
      last = part;
    }
    for (const gone of known.values()) if (!gone.contains(document.activeElement)) gone.remove();
  }

  async function refresh() {
    if (held || busy || document.hidden) return;
    busy = true;
    try {
      const reply = await fetch(url, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      if (!reply.ok) return refused(reply);
      stale("");
      const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").body;
      const head = fresh.querySelector("[data-words]");
      if (!head || held) return;
      if (fresh.querySelector("[data-over]")) {
        reload();
        return;
      }
      replace(fresh);
      speak(head.dataset.words);
    } catch {
      stale(AWAY);
    } finally {
      busy = false;
    }
  }

  if (hold) {
    hold.hidden = false;
    hold.addEventListener("click", () => {
      held = !held;
      hold.setAttribute("aria-pressed", String(held));
      refresh();
    });
  }
  document.addEventListener("visibilitychange", refresh);
  setInterval(refresh, EVERY);
}

for (const page of document.querySelectorAll("[data-live]")) livePart(page);
