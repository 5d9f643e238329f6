// Watches one terminal.
import { warn, clear } from "./notice.js";
import settings from "./branch.json" with { type: "json" };

const MILLIS = 1000;

/** What is called when a reader is logged off. */
let logOff = () => {};

let warning = null;
let leaving = null;

/** Begins to watch, and calls done when nobody has touched the terminal. */
export function watch(done) {
  logOff = done;
  touched();
}

/** Says that somebody touched the terminal. */
export function touched() {
  stop();
  const quiet = settings.idleSeconds - settings.warnSeconds;
  warning = setTimeout(warn, quiet * MILLIS, settings.warnSeconds);
  leaving = setTimeout(logOff, settings.idleSeconds);
}

/** Stops watching. */
export function stop() {
  clearTimeout(warning);
  clearTimeout(leaving);
  clear();
}
