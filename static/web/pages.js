/* Two conveniences; every page works without them: exact times in the reader's zone, and progress that moves. */
"use strict";

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.getAttribute("datetime"));
    if (!Number.isNaN(moment.getTime())) time.title = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
  }
}

async function refresh(part) {
  try {
    const reply = await fetch(part.dataset.refresh, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (!reply.ok) return;
    const whole = new DOMParser().parseFromString(await reply.text(), "text/html").body;
    const fresh = part.dataset.part ? whole.querySelector(part.dataset.part) : whole;
    if (!fresh) return;
    if (fresh.querySelector("[data-over]")) return location.reload();
    if (fresh.textContent.trim() !== part.textContent.trim()) part.replaceChildren(...fresh.childNodes);
  } catch {
    /* the server is away for a moment; the next round asks again */
  }
}

localTimes(document);
const moving = document.querySelectorAll("[data-refresh]");
if (moving.length) {
  for (const part of moving) {
    setInterval(() => {
      if (!document.hidden) refresh(part);
    }, Number(part.dataset.every) || 5000);
  }
}
