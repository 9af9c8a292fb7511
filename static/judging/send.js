"use strict";
// The crowd's form is sent by itself, once; the button stays for when it does not go through.
(() => {
  const form = document.getElementById("crowd");
  const key = `sent ${location.pathname}`;
  let before = null;
  try { before = sessionStorage.getItem(key); sessionStorage.setItem(key, "1"); } catch (error) { /* no storage in this frame */ }
  if (!before) form.submit();
})();
