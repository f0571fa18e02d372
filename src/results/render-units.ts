import type { Unit } from "./unit.js";

/** Writes the chosen units as text, in the order of the result, with a note where lines or items are omitted. */
export function renderUnits(units: readonly Unit[], isChosen: readonly boolean[]): string {
  const lines: string[] = [];
  let line = "";
  let omitted: Unit[] = [];
  let isLineOpen = false;
  /** The group of the last line that was written. */
  let group: string | undefined;
  const endLine = (): void => {
    if (isLineOpen) lines.push(line);
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
      line += `${isGap ? " …" : ""}${separator}${text}`;
    } else {
      const note = isGap ? toNote(omitted, group) : undefined;
      if (isLineOpen && (omitted[0]?.separator !== undefined || note === "…")) line += " …";
      endLine();
      if (note !== undefined && note !== "…") lines.push(`${" ".repeat(indent)}${note}`);
      line = `${" ".repeat(indent)}${text}`;
      isLineOpen = true;
      ({ group } = unit);
    }
    omitted = [];
  }
  const note = toNote(omitted, group);
  if (isLineOpen && (omitted[0]?.separator !== undefined || note === "…")) line += " …";
  endLine();
  if (note !== undefined && note !== "…") lines.push(note);
  return lines.join("\n");
}

function toNote(omitted: readonly Unit[], group: string | undefined): string | undefined {
  const whole = omitted.filter(({ separator }) => separator === undefined);
  if (whole.length === 0) return undefined;
  const positions = whole.flatMap(({ position }) => (position === undefined ? [] : [position]));
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined || first.of !== last.of) return "…";
  const [from, to] = [first.number, last.to ?? last.number];
  if (to < from + 2) return "…";
  if (first.of === "item") return `… items ${from}-${to}`;
  const isSimilar = group !== undefined && whole.every((unit) => unit.group === group);
  return isSimilar ? `… ${to - from + 1} similar lines ${from}-${to}` : `… lines ${from}-${to}`;
}
