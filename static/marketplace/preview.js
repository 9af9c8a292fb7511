/* The frame of a preview becomes as tall as its page says it is: so this page scrolls, and nothing in it does. A page
   that says nothing keeps a frame of its own that scrolls. */
"use strict";

window.addEventListener("message", ({ source, data }) => {
  const frame = document.getElementById("preview-frame");
  if (source !== frame?.contentWindow || !(data?.height > 0)) return;
  frame.style.flex = "none";
  frame.style.height = `${Math.min(data.height + 2, 20000)}px`;
});
