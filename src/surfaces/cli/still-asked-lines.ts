import { line, type Line, WARNING } from "./lines.js";

/** Names the servers whose tools an answer is without because they have not answered yet themselves. */
export function stillAskedLines(pending: readonly string[]): Line[] {
  if (pending.length === 0) return [];
  const advice = "Try again in a while, or let `anygpt mcp doctor` say what is wrong.";
  return [line(0, WARNING, ` Still being asked: ${pending.join(", ")}. ${advice}`)];
}
