// Shows a notice on the terminal.
import settings from "./branch.json" with { type: "json" };

let blinking = null;
let shown = "";

/** Shows for how many seconds the reader still has. */
export function warn(seconds) {
  shown = `This terminal closes in ${seconds} seconds.`;
  blinking = setInterval(blink, settings.blinkMillis);
}

/** Takes the notice away. */
export function clear() {
  clearInterval(blinking);
  shown = "";
}

function blink() {
  document.title = document.title === shown ? "Catalogue" : shown;
}
