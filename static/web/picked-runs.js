/* Two runs can be picked on a leaderboard: then the other boxes are disabled, and a sentence says so. */
"use strict";

function limitPickedRuns() {
  const status = document.querySelector("#pick [data-when-full]");
  if (!status) return;
  const boxes = [...document.querySelectorAll('input[type="checkbox"][form="pick"]')];
  const full = boxes.filter((box) => box.checked).length >= 2;
  const sentence = full ? status.dataset.whenFull : "";
  for (const box of boxes) {
    box.disabled = full && !box.checked;
    box.title = box.disabled ? sentence : "";
  }
  status.textContent = sentence;
}

document.addEventListener("change", (event) => {
  if (event.target.form?.id === "pick") limitPickedRuns();
});
/* A browser that goes back restores the ticks. */
window.addEventListener("pageshow", limitPickedRuns);
