"use strict";
// Show times in the reader's named time zone; pointing at one shows it in UTC.
document.querySelectorAll("time[datetime]").forEach((one) => {
  const at = new Date(one.dateTime), day = at.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "long" };
  one.title = one.textContent;
  one.textContent = at.toLocaleString(document.documentElement.lang, { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });
});
