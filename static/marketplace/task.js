/* The page around a task. It cannot look into the frame, so it asks its own server whether the task was
   submitted, and continues when it was. Without this script, the link "Already submitted? Continue" does the same. */
"use strict";

(() => {
  const next = document.querySelector("#next-form[data-take-next]");
  if (next) {
    // Going back in the history must not accept another task.
    const [navigation] = performance.getEntriesByType("navigation");
    if (!navigation || navigation.type !== "back_forward") next.requestSubmit();
    return;
  }
  const task = document.querySelector("main[data-page=task]");
  if (!task) return;
  // Keys reach the task at once, also after a reload.
  if (document.activeElement === document.body) document.getElementById("task-frame").focus();
  const shown = document.getElementById("time-left");
  const deadline = Date.parse(task.dataset.deadline);
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

  const inWords = (seconds) => {
    let left = Math.max(0, Math.floor(seconds));
    const parts = [];
    for (const [name, size] of units) {
      const count = Math.floor(left / size);
      left -= count * size;
      if (count) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
    }
    return parts.slice(0, 2).join(" ") || "no time";
  };

  // A task that is being returned is no longer held, and a reload would replace the answer.
  let leaving = false;
  document.addEventListener("task-returning", ({ detail }) => { leaving = detail; });
  document.addEventListener("submit", (event) => { leaving = leaving || !event.defaultPrevented; });
  const goOn = (state) => {
    if (state === "held" || leaving) return;
    leaving = true;
    location.reload();
  };

  let failures = 0;
  const ask = async () => {
    if (leaving) { setTimeout(ask, 2000); return; }   // ask again in case the return failed
    try {
      const response = await fetch(task.dataset.statusUrl, { headers: { Accept: "application/json" } });
      const { state } = await response.json();
      failures = 0;
      goOn(state);
    } catch {
      failures = Math.min(failures + 1, 5);
    }
    setTimeout(ask, document.hidden ? 15000 : 2000 * 2 ** failures);
  };

  if (shown) setInterval(() => { shown.textContent = inWords((deadline - Date.now()) / 1000); }, 1000);
  // A form posted inside the frame loads a new page there, so check the status then.
  let loads = 0;
  const frame = document.getElementById("task-frame");
  frame.addEventListener("load", () => {
    loads += 1;
    if (loads > 1) fetch(task.dataset.statusUrl).then((response) => response.json())
      .then(({ state }) => goOn(state)).catch(() => {});
  });
  setTimeout(ask, 2000);
})();
