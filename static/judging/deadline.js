"use strict";
// The time left for the task, in words; five minutes before the end, a warning and an offer of more time.
// Follows the clock, so time asleep counts. `over` is called again until the page is left: it may wait for a connection.
judging.deadline = (form, over) => {
  const left = document.getElementById("left");
  const hurry = document.getElementById("hurry");
  const longer = document.getElementById("longer");
  const box = document.getElementById("more-time-box");
  let end = 0, extended = 0;

  function inWords(minutes) {
    if (minutes >= 2880) return judging.say("days", { n: Math.floor(minutes / 1440) });
    if (minutes >= 120) return judging.say("hours", { n: Math.floor(minutes / 60) });
    return minutes === 1 ? judging.say("minute") : judging.say("minutes", { n: minutes });
  }
  function tell() {
    const minutes = Math.ceil((end - Date.now()) / 60000);
    const stage = minutes <= 0 ? "over" : minutes <= 5 ? "hurry" : "";
    left.textContent = minutes > 0 ? inWords(minutes) : "";
    if (box) box.hidden = stage !== "hurry";
    // Announced once, not every minute, so the text names no minutes; the bar above shows them.
    if (stage !== hurry.dataset.stage) {
      hurry.dataset.stage = stage;
      hurry.textContent = stage && judging.say(stage);
      hurry.hidden = !stage;
      if (stage) longer.textContent = "";
    }
    if (stage === "over") over();
  }
  // `asked` is the time of the request: an answer from before an extension would undo it.
  function set(more, asked = Date.now()) {
    if (more === null || more === "" || Number.isNaN(Number(more)) || asked < extended) return;
    end = Date.now() + Number(more) * 1000;
    tell();
  }
  // Without a connection, the button stays, so it can be pressed again.
  async function ask(event) {
    event.preventDefault();
    const before = end;                // a refresh may change it before the reply arrives
    try {
      const reply = await fetch(form.dataset.more, { method: "POST", credentials: "omit", body: new URLSearchParams({ script: "yes" }) });
      const known = await reply.json();
      box.remove();
      extended = Date.now();
      set(known.left);
      if (end - before > 60000) longer.textContent = judging.say("longer");
    } catch (error) { longer.textContent = judging.say("unsaved"); }
  }
  if (box) box.hidden = true;
  document.getElementById("more-time")?.addEventListener("click", ask);
  set(form.dataset.left);
  if (end) setInterval(tell, 1000);
  return set;
};
