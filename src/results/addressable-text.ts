import type { CallResult } from "../model/call.js";
import { indexLines, type LineIndex } from "./line-index.js";
import { readBlocks, readStringBlocks, readTextItems, type ResultBlock } from "./result-blocks.js";
import type { Slices } from "./slices.js";
import { writeJsonText } from "./write-json.js";

/** The texts of a result as the server sent them, and the structured content if they do not have it. */
export function* readRawText(result: CallResult): Slices<string> {
  const texts = (yield* readTextItems(result)).map(({ text }) => text);
  const { structuredContent } = result;
  if (structuredContent !== undefined && structuredContent !== null) {
    const blocks = yield* readBlocks(result);
    const isSeparate = blocks.some((block) => block.kind === "json" && block.value === structuredContent);
    if (isSeparate) texts.push((yield* writeJsonText(structuredContent)) ?? "");
  }
  return texts.join("\n");
}

/** The blocks of a selected value. A string that is JSON is read as JSON. */
export function* toPartBlocks(value: unknown): Slices<readonly ResultBlock[]> {
  return typeof value === "string" ? yield* readStringBlocks(value) : [{ kind: "json", value }];
}

/** The lines that `grep` and `lines` count: those of the text, and of JSON with an indentation of two spaces. */
export function* indexBlocks(blocks: readonly ResultBlock[]): Slices<LineIndex> {
  const texts: string[] = [];
  for (const block of blocks)
    texts.push(block.kind === "text" ? block.text : ((yield* writeJsonText(block.value, { indent: 2 })) ?? ""));
  return yield* indexLines(texts.join("\n"));
}
