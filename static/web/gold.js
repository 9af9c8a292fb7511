/* Deciding by keyboard: the key on a button presses it. Every button works without. A switch takes the keys away
   (WCAG 2.1.4): who speaks to the computer, or strays over the keys, would decide without meaning to. */
"use strict";

(() => {
  const NAME = "deciding keys";
  const box = document.getElementById("keys");
  if (box) {
    box.closest("[hidden]").hidden = false;
    try { box.checked = localStorage.getItem(NAME) !== "off"; } catch { /* no storage here */ }
    box.addEventListener("change", () => {
      try { localStorage.setItem(NAME, box.checked ? "on" : "off"); } catch { /* no storage here */ }
    });
  }
  document.addEventListener("keydown", (event) => {
    if (box && !box.checked) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=hidden], [type=checkbox]), textarea, select")) return;
    const button = document.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();
