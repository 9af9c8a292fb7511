/* Sends files and shows progress: run files in parts that resume where the connection broke, other forms in one piece.
   Without this script the same forms are sent by the browser. */
"use strict";

const PART = 8 * 1024 * 1024;
const TRIES = 6;

function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}

function make(tag, words = "", kind = "") {
  const made = document.createElement(tag);
  made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

/** One request that reports progress; resolves with {status, said}, rejects when the connection breaks. */
function request(address, body, headers, progress) {
  return new Promise((resolve, reject) => {
    const asked = new XMLHttpRequest();
    asked.open("POST", address);
    for (const [name, value] of Object.entries(headers)) asked.setRequestHeader(name, value);
    asked.upload.addEventListener("progress", (event) => progress?.(event.loaded, event.total));
    asked.addEventListener("error", () => reject(new Error("The connection broke.")));
    asked.addEventListener("timeout", () => reject(new Error("The server does not answer.")));
    asked.addEventListener("load", () => resolve(asked));
    asked.send(body);
  });
}

function said(asked) {
  try {
    return JSON.parse(asked.responseText);
  } catch {
    return {};
  }
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** An upload: a line of the list that shows its progress. */
class Line {
  constructor(list, file) {
    this.item = make("li");
    this.bar = make("progress");
    this.bar.max = file.size || 1;
    this.bar.value = 0;
    this.bar.setAttribute("aria-label", `Upload progress of ${file.name}`);
    this.words = make("span", "waiting", "numbers");
    this.item.append(make("span", file.name, "mono"), this.bar, this.words);
    list.append(this.item);
    this.file = file;
  }

  sent(bytes) {
    this.bar.value = bytes;
    this.words.textContent = `${size(bytes)} of ${size(this.file.size)}`;
  }

  failed(reason) {
    this.words.textContent = reason;
    this.words.className = "stop";
    this.words.setAttribute("role", "alert");
  }

  done(page) {
    const link = make("a", "sent; see the check results");
    link.href = page;
    this.words.replaceChildren(link);
  }
}

async function sendFile(form, options, file, line) {
  const token = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
  const about = new FormData();
  for (const [name, value] of options) about.append(name, value);
  about.append("file_name", file.name);
  about.append("size_bytes", String(file.size));
  about.append("key", crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
  let asked = await request(form.dataset.send, new URLSearchParams(about), token);
  let state = said(asked);
  if (asked.status !== 201) throw new Error(state.problem ?? "The server refused the file.");
  const { parts, page } = state;
  let tries = 0;
  while (state.offset < file.size) {
    const from = state.offset;
    const part = file.slice(from, from + PART);
    const headers = { ...token, "Upload-Offset": String(from), "Content-Type": "application/octet-stream" };
    try {
      asked = await request(parts, part, headers, (loaded) => line.sent(Math.min(from + loaded, file.size)));
    } catch (broken) {
      tries += 1;
      if (tries >= TRIES) throw broken;
      line.words.textContent = "The connection broke; the upload continues in a moment.";
      await wait(1000 * 2 ** tries);
      continue;
    }
    // 409 contains the offset to resume at: a part may have arrived although the response was lost.
    const next = said(asked);
    if (asked.status !== 200 && asked.status !== 409) throw new Error(next.problem ?? "The server refused a part.");
    if (next.offset === from) {
      tries += 1;
      if (tries >= TRIES) throw new Error("The server is not accepting the rest. Send the file again.");
    } else tries = 0;
    state = next;
    line.sent(state.offset);
  }
  line.done(page);
}

async function sendAll(form, button) {
  const input = form.elements.run_files;
  const list = form.querySelector(".sent");
  list.replaceChildren();
  const options = new FormData(form);
  options.delete("run_files");
  options.delete("csrfmiddlewaretoken");
  options.set("check_only", button?.value ?? "");
  const files = [...input.files].map((file) => [file, new Line(list, file)]);
  let failed = 0;
  for (const [file, line] of files) {
    try {
      await sendFile(form, options, file, line);
    } catch (reason) {
      failed += 1;
      line.failed(reason.message);
    }
  }
  return failed;
}

function prepareRuns(form) {
  const zone = form.querySelector(".drop");
  const input = form.elements.run_files;
  const words = zone.querySelector("[aria-live]");
  input.addEventListener("change", () => {
    const all = [...input.files];
    const total = all.reduce((sum, file) => sum + file.size, 0);
    words.textContent = all.length ? `${all.length} ${all.length === 1 ? "file" : "files"}, ${size(total)}: ${all.map((file) => file.name).join(", ")}` : "";
  });
  for (const kind of ["dragenter", "dragover"])
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change"));
  });
  form.addEventListener("submit", async (event) => {
    if (!input.files.length || (input.files.length > 1 && form.elements.run_tag.value)) return; // the server reports it
    event.preventDefault();
    const buttons = [...form.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    const failed = await sendAll(form, event.submitter);
    for (const button of buttons) button.disabled = false;
    if (!failed) location.assign(form.dataset.after);
  });
}

/** A whole form with its files, in one piece; the answer is the page that the browser would have shown. */
function prepareWhole(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = form.querySelector(".sent");
    const bar = make("progress");
    bar.setAttribute("aria-label", "Upload progress of the files");
    const words = make("span", "", "numbers");
    place.replaceChildren(bar, words);
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const asked = await request(form.action || location.href, new FormData(form), {}, (loaded, total) => {
        [bar.max, bar.value] = [total, loaded];
        words.textContent = `${size(loaded)} of ${size(total)} sent`;
      });
      if (asked.responseURL && asked.responseURL !== location.href && asked.status === 200) return location.assign(asked.responseURL);
      const fresh = new DOMParser().parseFromString(asked.responseText, "text/html").querySelector("main");
      if (!fresh) throw new Error("The server did not accept the files. Are they too large?");
      document.querySelector("main").replaceWith(fresh);
      const again = document.querySelector("form[data-whole]");
      if (again) prepareWhole(again);
      document.querySelector("[role=alert]")?.scrollIntoView({ block: "center" });
    } catch (reason) {
      const told = make("p", `${reason.message} Nothing was created. Send the form again.`, "stop");
      told.setAttribute("role", "alert");
      place.replaceChildren(told);
      button.disabled = false;
    }
  });
}

for (const form of document.querySelectorAll("form[data-send]")) prepareRuns(form);
for (const form of document.querySelectorAll("form[data-whole]")) prepareWhole(form);
