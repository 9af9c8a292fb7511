"use strict";
// The keys that choose wherever the focus is, and the switch that turns them off (WCAG 2.1.4): people who use speech
// input or press keys by accident would choose unintentionally. Remembered where the frame has storage.
judging.keys = (() => {
  const box = document.getElementById("keys");
  const NAME = "judging keys";
  const grades = Number(document.getElementById("task").dataset.grades);
  box.checked = true;
  try { box.checked = localStorage.getItem(NAME) !== "off"; } catch (error) { /* storage is unavailable */ }
  const draw = () => document.body.classList.toggle("no-keys", !box.checked);
  box.addEventListener("change", () => {
    try { localStorage.setItem(NAME, box.checked ? "on" : "off"); } catch (error) { /* storage is unavailable */ }
    draw();
  });
  draw();
  const ALONG = { ArrowUp: -1, ArrowDown: 1 };
  return {
    SIDES: grades
      ? Object.fromEntries([...Array(grades).keys()].map((grade) => [grade, String(grade)]))
      : { 1: "left", 2: "right", 0: "undecided", ArrowLeft: "left", ArrowRight: "right" },
    on: () => box.checked,
    // Keys that move the focus among the choices, including the left and right arrows when they do not choose.
    steps: () => (box.checked ? ALONG : { ...ALONG, ArrowLeft: -1, ArrowRight: 1 }),
  };
})();
