// Writes days as the board has room for them.
"use strict";

const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function day(at) {
  return `${names[at.getUTCDay()]} ${at.getUTCDate()}`;
}

module.exports = { day };
