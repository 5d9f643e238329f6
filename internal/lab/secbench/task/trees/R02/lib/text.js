"use strict";

const NAMED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

// escape writes a text so that a page shows it as it is.
function escape(text) {
  return text.replace(/[&<>"']/g, (c) => NAMED[c]);
}

// decode undoes what the terminals do. What is not encoded stays.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

module.exports = { decode, escape };
