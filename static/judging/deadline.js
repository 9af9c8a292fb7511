"use strict";
// The time for the task, in words; a warning five minutes before its end. By the clock, so that a nap is counted.
judging.deadline = (seconds) => {
  const left = document.getElementById("left");
  const hurry = document.getElementById("hurry");
  let end = 0;

  function inWords(minutes) {
    if (minutes >= 2880) return judging.say("days", { n: Math.floor(minutes / 1440) });
    if (minutes >= 120) return judging.say("hours", { n: Math.floor(minutes / 60) });
    return minutes === 1 ? judging.say("minute") : judging.say("minutes", { n: minutes });
  }
  function tell() {
    const minutes = Math.ceil((end - Date.now()) / 60000);
    const stage = minutes <= 0 ? "over" : minutes <= 5 ? "hurry" : "";
    left.textContent = minutes > 0 ? inWords(minutes) : "";
    // Announced when it begins, not again at each minute: so it names none, and the bar above counts them.
    if (stage !== hurry.dataset.stage) {
      hurry.dataset.stage = stage;
      hurry.textContent = stage && judging.say(stage);
      hurry.hidden = !stage;
    }
  }
  function set(more) {
    if (more === null || more === "" || Number.isNaN(Number(more))) return;
    end = Date.now() + Number(more) * 1000;
    tell();
  }
  set(seconds);
  if (end) setInterval(tell, 5000);
  return set;
};
