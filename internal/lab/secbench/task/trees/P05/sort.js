// Puts events in order.
"use strict";

function byDay(events) {
  return [...events].sort((a, b) => a.at - b.at || a.title.localeCompare(b.title));
}

module.exports = { byDay };
