"use strict";
// Show times in the reader's named time zone; pointing at one shows it in UTC.
document.querySelectorAll("time[datetime]").forEach((one) => {
  const at = new Date(one.dateTime), utc = / UTC$/;
  const words = (options) => at.toLocaleString("en-GB", { ...options, hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  if (utc.test(one.title)) one.title = words({ day: "numeric", month: "long", year: "numeric" });
  if (!utc.test(one.textContent)) return;
  one.title = one.textContent;
  one.textContent = words({ day: "numeric", month: "short", year: "numeric" });
});
