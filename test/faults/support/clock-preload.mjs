// Loaded before a gateway: shifts its clock by the number of milliseconds in the file FAULT_CLOCK.
import { readFileSync } from "node:fs";

const LOOK_MS = 20;
const file = process.env.FAULT_CLOCK;
const Real = Date;
let moved = 0;

class Moved extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Moved.now()] : given));
  }
  static now() {
    return Real.now() + moved;
  }
}

function look() {
  try {
    moved = Number(readFileSync(file, "utf8"));
  } catch {
    moved = 0;
  }
}

if (file !== undefined) {
  look();
  globalThis.Date = Moved;
  setInterval(look, LOOK_MS).unref();
}
