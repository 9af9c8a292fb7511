"use strict";
// Tell the page around the frame how tall this page is, so that it can show all of it and be the one that scrolls.
new ResizeObserver(() => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*")).observe(document.body);
