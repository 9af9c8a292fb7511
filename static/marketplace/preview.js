/* Make the frame of a preview as tall as its page reports, so that only this page scrolls. A page
   that reports no height keeps a frame that scrolls. */
"use strict";

window.addEventListener("message", ({ source, data }) => {
  const frame = document.getElementById("preview-frame");
  if (source !== frame?.contentWindow || !(data?.height > 0)) return;
  frame.style.flex = "none";
  frame.style.height = `${Math.min(data.height + 2, 20000)}px`;
});
