"use strict";

// Putting settings on top of one another.

const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

module.exports = { overlay, branchSettings };

// isGroup says whether a setting is a group of others.
function isGroup(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// branchSettings is what a branch has set, with defaults for the rest. Files of
// branches are written by hand, so names that cannot be meant are left out.
function branchSettings(defaults, file) {
  const settings = { ...defaults };
  for (const name of Object.keys(file)) {
    if (RESERVED.has(name)) {
      continue;
    }
    const both = isGroup(file[name]) && isGroup(settings[name]);
    settings[name] = both ? branchSettings(settings[name], file[name]) : file[name];
  }
  return settings;
}

// overlay puts what changed on top of settings, group by group.
function overlay(settings, changed) {
  for (const name of Object.keys(changed)) {
    if (isGroup(changed[name]) && isGroup(settings[name])) {
      overlay(settings[name], changed[name]);
    } else {
      settings[name] = changed[name];
    }
  }
  return settings;
}
