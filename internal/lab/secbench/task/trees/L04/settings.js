"use strict";

// The two routes of the reading desk.

const defaults = require("./defaults.json");
const { branchSettings, overlay } = require("./merge");

const LARGEST = 4096;

module.exports = { show, change };

// show answers with the settings of a reader.
function show(request, response, desk) {
  response.json(desk.settingsOf(request.reader));
}

// change takes what a reader has set anew.
function change(request, response, desk) {
  if (request.body.length > LARGEST) {
    response.status(413).end();
    return;
  }
  const changed = JSON.parse(request.body);
  const own = desk.settingsOf(request.reader) || branchSettings(defaults, desk.branchFile);
  desk.keep(request.reader, overlay(own, changed));
  response.status(204).end();
}
