/** The full count in `npm run faults`, otherwise a fiftieth of it or `divided`, because the suite must end within minutes. */
export function countOf(full: number, divided: number = Math.ceil(full / 50)): number {
  return process.env["FAULT_COUNTS"] === "full" ? full : divided;
}
