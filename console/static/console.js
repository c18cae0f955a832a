// Times are written out by the server; here they are also told from now, and kept so.
// And what refreshes itself says when it can't.
"use strict";
(function () {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  function relative(from, now) {
    const seconds = Math.round((from - now) / 1000);
    for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
      if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
    }
    return words.format(seconds, "second");
  }
  function tell() {
    const now = Date.now();
    for (const at of document.querySelectorAll("time[data-relative]")) {
      if (!at.title) at.title = at.textContent;
      at.textContent = relative(Date.parse(at.dateTime), now);
    }
  }
  // A page that can't ask any more says so, until it can again.
  function stale(is) {
    const sign = document.getElementById("stale");
    if (sign) sign.hidden = !is;
  }
  document.addEventListener("htmx:sendError", () => stale(true));
  document.addEventListener("htmx:afterRequest", e => { if (e.detail.xhr && e.detail.xhr.status) stale(e.detail.xhr.status >= 500); });
  document.addEventListener("DOMContentLoaded", tell);
  document.addEventListener("htmx:afterSwap", tell);
  setInterval(tell, 5000);
})();
