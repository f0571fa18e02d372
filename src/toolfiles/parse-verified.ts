import { basename } from "node:path";
import { parseToolFile } from "./format/parse-tool-file.js";
import type { ToolFile } from "./format/tool-file.js";
import { type Refusal, refuse } from "./signing/refusal.js";
import { refuseHashOnly, type Verdict } from "./signing/verify.js";

export type ParsedFile =
  | { readonly kind: "ok"; readonly file: ToolFile }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const MOST_REASONS = 10;

/** The tool that a body describes, of which it is settled who vouches for it. */
export function parseVerified(path: string, { trust, body }: Extract<Verdict, { kind: "intact" }>): ParsedFile {
  const name = basename(path, ".yaml");
  const firstLine = trust.kind === "signed" ? 3 : 2;
  const parsed = parseToolFile(body, name, firstLine);
  if (parsed.kind === "wrong") {
    const refusal = misnamed(path, body, name) ?? wrongContent(path, parsed.reasons);
    return { kind: "refused", refusal };
  }
  // A hash keeps nobody from writing another file with another hash: it is no leave to start a program.
  if (trust.kind === "hash" && parsed.file.connection.kind === "stdio") {
    return { kind: "refused", refusal: refuseHashOnly(path, "starts a program and is not signed") };
  }
  return { kind: "ok", file: parsed.file };
}

/** A file that would be right under its own name. */
function misnamed(path: string, body: Buffer, name: string): Refusal | undefined {
  const toolId = /^tool_id: ([a-z0-9_]+)$/m.exec(body.toString("latin1"))?.[1];
  if (toolId === undefined || toolId === name || parseToolFile(body, toolId).kind === "wrong") return undefined;
  return refuse(path, "wrong-name", {
    what: `is the file of the tool ${toolId}`,
    hint: `Name it ${toolId}.yaml, or change its tool_id and sign it with \`anygpt mcp sign ${name}\`.`,
    facts: { tool_id: toolId },
  });
}

function wrongContent(path: string, reasons: readonly string[]): Refusal {
  const more = reasons.length - MOST_REASONS;
  const told = reasons.slice(0, MOST_REASONS).join("; ").replace(/\.$/, "");
  return refuse(path, "wrong-content", {
    what: `is intact and not a tool file as it should be: ${told}${more > 0 ? `; and ${more} more` : ""}`,
    hint: "Correct it and sign it with `anygpt mcp sign`, or discover the server anew.",
    facts: { reasons },
  });
}
