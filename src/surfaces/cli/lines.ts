/** Human output as data. Texts are unsafe until the renderer has sanitised them, so no command can forget it. */
export interface Line {
  readonly indent: number;
  readonly parts: readonly Part[];
  /** Layout is part of the text, as in JSON or a tool's own answer: it is never re-flowed. */
  readonly verbatim?: true;
  /** Words of somebody else: every row of them stands behind a bar, so that none can pass for a line of ours. */
  readonly quoted?: true;
}

export type Part = string | Styled;

export interface Styled {
  readonly style: Style;
  readonly text: string;
}

export type Style = "bold" | "dim" | "green" | "red" | "yellow";

export const bold = (text: string): Styled => ({ style: "bold", text });
export const dim = (text: string): Styled => ({ style: "dim", text });

export const GOOD: Styled = { style: "green", text: "✓" };
export const BAD: Styled = { style: "red", text: "✗" };
export const WARNING: Styled = { style: "yellow", text: "!" };
export const WAITING: Styled = { style: "yellow", text: "…" };

export const BLANK: Line = { indent: 0, parts: [] };

export function line(indent: number, ...parts: Part[]): Line {
  return { indent, parts };
}

export function verbatim(indent: number, text: string): Line {
  return { indent, parts: [text], verbatim: true };
}

export function quoted(indent: number, text: string): Line {
  return { indent, parts: [text], quoted: true };
}

/** Blocks with one blank line between them. */
export function blocks(all: readonly (readonly Line[])[]): Line[] {
  return all.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : [BLANK, ...block]));
}

/** `1 tool`, `2 tools`. */
export function count(amount: number, noun: string, many = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : many}`;
}
