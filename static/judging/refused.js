"use strict";
// Tell the site around the frame that this task is of no use to the worker. A site that takes it back says so.
(() => {
  const step = document.getElementById("next-step");
  window.addEventListener("message", ({ source, data }) => {
    if (source === parent && data?.preferee === "returned") step.textContent = step.dataset.returned;
  });
  parent.postMessage({ preferee: "refused" }, "*");
})();
