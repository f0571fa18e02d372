/** The full count in `npm run faults`, else a fiftieth of it, or what is given: the suite has minutes, not hours. */
export function countOf(full: number, divided: number = Math.ceil(full / 50)): number {
  return process.env["FAULT_COUNTS"] === "full" ? full : divided;
}
