"use strict";
// The crowd's form is sent (or its link followed) by itself: this stands in the page at its first showing alone. Should
// the crowd's site not take it, whoever comes back finds a button, the receipt and what to do.
(() => {
  const step = document.getElementById("crowd");
  if (step instanceof HTMLFormElement) step.submit(); else location.assign(step.href);
})();
