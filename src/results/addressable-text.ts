import type { CallResult } from "../model/call.js";
import { indexLines, type LineIndex } from "./line-index.js";
import { itemTexts, readBlocks, type ResultBlock } from "./result-blocks.js";
import type { Slices } from "./slices.js";
import { writeJsonText } from "./write-json.js";

/** The value of a result, or a part of it that a path selects. */
export interface ReadableValue {
  readonly blocks: readonly ResultBlock[];
  /** The text as the server sent it. */
  readonly raw: () => Slices<string>;
}

export function* toReadableResult(result: CallResult): Slices<ReadableValue> {
  const blocks = yield* readBlocks(result);
  return {
    blocks,
    *raw() {
      const texts = itemTexts(result);
      const { structuredContent } = result;
      // The structured content is a block of its own only if it is not also in the texts.
      const isSeparate = texts.length === 0 || blocks.length === texts.length + 1;
      const hasStructured = structuredContent !== undefined && structuredContent !== null;
      if (isSeparate && hasStructured) texts.push((yield* writeJsonText(structuredContent)) ?? "");
      return texts.join("\n");
    },
  };
}

export function toReadablePart(value: unknown): ReadableValue {
  return {
    blocks: [typeof value === "string" ? { kind: "text", text: value } : { kind: "json", value }],
    *raw() {
      return typeof value === "string" ? value : ((yield* writeJsonText(value)) ?? "");
    },
  };
}

/** The lines that `grep` and `lines` count: those of the text, and of JSON with an indentation of two spaces. */
export function* indexReadable({ blocks }: ReadableValue): Slices<LineIndex> {
  const texts: string[] = [];
  for (const block of blocks)
    texts.push(block.kind === "text" ? block.text : ((yield* writeJsonText(block.value, { indent: 2 })) ?? ""));
  return yield* indexLines(texts.join("\n"));
}
