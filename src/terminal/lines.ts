/**
 * One line of text output; a string is a line without indent and style. `render` removes control characters from every
 * line, so commands can pass untrusted text unchanged.
 */
export type Line = string | StyledLine;

export interface StyledLine {
  readonly indent: number;
  readonly parts: readonly LinePart[];
  /** Never wrap this text: its line breaks and indentation carry meaning, as in JSON or a tool's result. */
  readonly verbatim?: true;
  /**
   * Text from a caller or a server: every row starts with a bar, so that it cannot imitate the gateway's own output.
   */
  readonly quotedLine?: true;
}

export type LinePart = string | Styled;

export interface Styled {
  readonly style: LineStyle;
  readonly text: string;
}

export type LineStyle = "bold" | "dim" | "green" | "red" | "yellow";

export const bold = (text: string): Styled => ({ style: "bold", text });
export const dim = (text: string): Styled => ({ style: "dim", text });

export const GOOD: Styled = { style: "green", text: "✓" };
export const BAD: Styled = { style: "red", text: "✗" };
export const WARNING: Styled = { style: "yellow", text: "!" };
export const WAITING: Styled = { style: "yellow", text: "…" };

export const BLANK: StyledLine = { indent: 0, parts: [] };

export function line(indent: number, ...parts: LinePart[]): StyledLine {
  return { indent, parts };
}

export function verbatim(indent: number, text: string): StyledLine {
  return { indent, parts: [text], verbatim: true };
}

export function quoted(indent: number, text: string): StyledLine {
  return { indent, parts: [text], quotedLine: true };
}

/** Joins the blocks with one blank line between them; empty blocks are omitted. */
export function blocks(all: readonly (readonly Line[])[]): Line[] {
  return all.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : [BLANK, ...block]));
}

/** An amount with its noun, such as `1 tool` or `2 tools`. */
export function count(amount: number, noun: string, many = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : many}`;
}
