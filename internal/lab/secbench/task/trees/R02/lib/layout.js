"use strict";

// page puts a body into the frame that all pages share.
function page(title, body) {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`;
}

module.exports = { page };
