// What the board in the hall shows.
"use strict";

const { day } = require("./dates");
const { byDay } = require("./sort");

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function plain(text) {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]);
}

// One event, as a row of the board.
function row(event) {
  const title = plain(event.title);
  return `<tr><td>${day(event.at)}</td><td>${title}</td></tr>`;
}

// What stands below the board when nothing was found.
function footer(query) {
  const wanted = query.get("title");
  if (!wanted) {
    return "";
  }
  return `<p>Nothing is called ${wanted}.</p>`;
}

function page(events, query) {
  const rows = byDay(events).map(row).join("\n");
  return `<table>\n${rows}\n</table>\n${footer(query)}`;
}

module.exports = { page };
