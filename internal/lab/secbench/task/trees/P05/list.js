// Reads the list of events: a day, a tab and a title in each line.
"use strict";

function read(text) {
  const events = [];
  for (const line of text.split("\n")) {
    const [at, title] = line.split("\t");
    if (title) {
      events.push({ at: new Date(at), title });
    }
  }
  return events;
}

module.exports = { read };
