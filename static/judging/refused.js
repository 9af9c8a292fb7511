"use strict";
// Tell the site around the frame that the worker cannot do this task. A site that accepts it back replies.
(() => {
  const step = document.getElementById("next-step");
  let left = 10;  // the script of the site around this page may start later
  window.addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.preferee !== "returned") return;
    left = 0;
    step.textContent = step.dataset.returned;
  });
  const tell = () => {
    if (!left) return;
    left -= 1;
    parent.postMessage({ preferee: "refused" }, "*");
    setTimeout(tell, 1000);
  };
  tell();
})();
