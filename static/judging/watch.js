"use strict";
// How long the pair is on screen, without time in the background or asleep, and which device made a choice.
window.judging = {};
judging.watch = (() => {
  const ASLEEP = 10;           // seconds between two beats: longer means the computer slept
  const kept = new Map();      // slot -> the record since its last choice
  let current = null, last = Date.now(), visible = !document.hidden, pointer = "mouse";

  const fresh = () => ({ shown: 0, hidden: 0, lost: 0 });
  const of = (slot) => kept.get(slot) || kept.set(slot, fresh()).get(slot);
  function beat() {
    const gap = Math.max(0, Date.now() - last) / 1000;
    last = Date.now();
    if (current !== null) of(current)[visible && gap < ASLEEP ? "shown" : "hidden"] += gap;
  }
  setInterval(beat, 1000);
  document.addEventListener("visibilitychange", () => { beat(); visible = !document.hidden; });
  window.addEventListener("blur", () => { if (current !== null) of(current).lost += 1; });
  document.addEventListener("pointerdown", (event) => { pointer = event.pointerType === "mouse" ? "mouse" : "touch"; }, true);

  return {
    look(slot) { beat(); current = slot; },
    shown(slot) { beat(); return of(slot).shown; },
    // Return the record of the slot since its last choice, and start a new record.
    take(slot) { beat(); const seen = of(slot); kept.set(slot, fresh()); return seen; },
    // A click without a pointer comes from the keyboard.
    method: (event) => (event.type === "click" && event.detail > 0 ? pointer : "keyboard"),
    viewport: () => (matchMedia("(max-width: 46rem)").matches ? "narrow" : "wide"),
  };
})();
judging.say = (name, values = {}) => Object.entries(values).reduce(
  (words, [key, value]) => words.replaceAll(`{${key}}`, () => value), document.getElementById("words").dataset[name]);
