"use strict";
// The crowd's form is sent (or its link followed) by itself, once; what stands on the page stays for when it fails.
(() => {
  const step = document.getElementById("crowd");
  const key = `sent ${location.pathname}`;
  let before = null;
  try { before = sessionStorage.getItem(key); sessionStorage.setItem(key, "1"); } catch (error) { /* no storage in this frame */ }
  if (before) return;
  if (step instanceof HTMLFormElement) step.submit(); else location.assign(step.href);
})();
