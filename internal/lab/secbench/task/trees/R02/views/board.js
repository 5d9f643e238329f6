"use strict";

// The pages of the board.

const layout = require("../lib/layout");
const { decode, escape } = require("../lib/text");

const LONGEST = 2000;

module.exports = { preview, byAuthor, count };

// preview shows a note as it will look, before it is pinned.
function preview(request, response) {
  const typed = request.query.note || "";
  const short = typed.slice(0, LONGEST);
  const clean = escape(short);
  const note = decode(clean);
  response.send(layout.page("Your note", `<p class="note">${note}</p>`));
}

// byAuthor lists what somebody has pinned.
function byAuthor(request, response, notes) {
  const asked = decode(request.query.author || "");
  const author = escape(asked);
  const items = notes
    .filter((n) => n.author === asked)
    .map((n) => `<li>${escape(n.text)}</li>`);
  response.send(layout.page("Notes", `<h2>${author}</h2><ul>${items.join("")}</ul>`));
}

// count says how many notes there are.
function count(request, response, notes) {
  response.send(layout.page("Notes", `<p>${notes.length} notes</p>`));
}
