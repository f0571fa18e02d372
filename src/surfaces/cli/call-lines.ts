import type { Question } from "../../model/call.js";
import { bold, line, type Line, quoted, type Styled } from "../../terminal/lines.js";
import { revealedJson, revealedName } from "../../terminal/reveal.js";

/**
 * The complete call. Text from the caller or the server is quoted and its invisible characters are escaped, so it can
 * neither imitate the gateway's own lines nor hide anything.
 */
export function callLines(call: Omit<Question, "id" | "ttlMs">): Line[] {
  const { toolId, risk, riskOrigin, notice, arguments: given, meta } = call;
  const isNone = Object.keys(given).length === 0;
  return [
    line(2, "Tool: ", bold(revealedName(toolId))),
    line(2, "Risk: ", riskPart(risk), ` (${riskOrigin})`),
    ...(notice === undefined ? [] : [line(2, notice)]),
    line(2, isNone ? "Arguments: none" : "Arguments:"),
    ...(isNone ? [] : [quoted(2, revealedJson(given, 2))]),
    ...(meta === undefined ? [] : [line(2, "Also sent to the server, in _meta:"), quoted(2, revealedJson(meta, 2))]),
  ];
}

export function riskPart(risk: string): Styled {
  return { style: risk === "destructive" ? "red" : risk === "high" ? "yellow" : "bold", text: risk };
}
