import type { Unit } from "./unit.js";

/** Writes the chosen units as text, in the order of the result, with a note where lines or items are omitted. */
export function renderUnits(units: readonly Unit[], isChosen: readonly boolean[]): string {
  const lines: string[] = [];
  let line = "";
  let omitted: Unit[] = [];
  let isLineOpen = false;
  /** The group of the last line that was written. */
  let group: number | undefined;
  /** Ends the open line, and writes a note or a mark about the omitted units after it. */
  const closeGap = (): void => {
    // A note needs the header of its text or array.
    const note = toNote(
      omitted.filter(({ parent }) => parent === -1 || isChosen[parent] === true),
      group,
    );
    const isCut = omitted.length > 0 && (omitted[0]?.separator !== undefined || note === undefined);
    if (isLineOpen) lines.push(isCut ? `${line} …` : line);
    if (note !== undefined) lines.push(note);
    isLineOpen = false;
  };
  for (const [index, unit] of units.entries()) {
    if (isChosen[index] !== true) {
      omitted.push(unit);
      continue;
    }
    const { text, separator, indent } = unit;
    const isGap = omitted.length > 0;
    if (separator !== undefined && isLineOpen && omitted.every((one) => one.separator !== undefined)) {
      line += `${isGap ? ` …${separator === "" ? " " : ""}` : ""}${separator}${text}`;
    } else {
      closeGap();
      line = `${" ".repeat(indent)}${text}`;
      isLineOpen = true;
      ({ group } = unit);
    }
    omitted = [];
  }
  closeGap();
  return lines.join("\n");
}

/** The note about omitted lines or items of one text or array; undefined if a mark is shorter. */
function toNote(omitted: readonly Unit[], group: number | undefined): string | undefined {
  const first = omitted.find(({ position, separator }) => position !== undefined && separator === undefined);
  if (first?.position === undefined) return undefined;
  const same = omitted.filter(({ position }) => position !== undefined);
  const last = same.at(-1)?.position ?? first.position;
  const [from, to] = [first.position.number, last.to ?? last.number];
  if (to < from + 2) return undefined;
  const indent = " ".repeat(first.indent);
  if (first.position.of === "item") return `${indent}… items ${from}-${to}`;
  const isSimilar = group !== undefined && same.every((unit) => unit.group === group);
  return isSimilar ? `${indent}… ${to - from + 1} similar lines ${from}-${to}` : `${indent}… lines ${from}-${to}`;
}
