/* Deciding by keyboard: the key shown on a button presses it. Every button also works without keys. A switch
   turns the keys off (WCAG 2.1.4): people who use speech input or press keys by accident would decide unintentionally. */
"use strict";

(() => {
  const NAME = "deciding keys";
  const box = document.getElementById("keys");
  if (box) {
    box.closest("[hidden]").hidden = false;
    try { box.checked = localStorage.getItem(NAME) !== "off"; } catch { /* storage is unavailable */ }
    box.addEventListener("change", () => {
      try { localStorage.setItem(NAME, box.checked ? "on" : "off"); } catch { /* storage is unavailable */ }
    });
  }
  // Until the next pair is there, a key would decide about the pair that was just decided.
  let deciding = false;
  document.addEventListener("submit", () => { deciding = true; });
  addEventListener("pageshow", () => { deciding = false; });
  document.addEventListener("keydown", (event) => {
    if (deciding || (box && !box.checked)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=hidden], [type=checkbox]), textarea, select")) return;
    const button = document.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();
