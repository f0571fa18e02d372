import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { addJsonUnits } from "./json-units.js";
import { renderUnits } from "./render-units.js";
import type { ResultBlock } from "./result-blocks.js";
import { countCharacters } from "./result-tokens.js";
import { prepareSelection } from "./select-units.js";
import type { Slices } from "./slices.js";
import { addTextUnits } from "./text-units.js";
import { createUnitList, type UnitWriter } from "./unit.js";

const CHARACTERS_PER_TOKEN = 3.3;
/** How often the selection is repeated with a smaller budget, because separators and notes took more than expected. */
const MAX_ATTEMPTS = 4;

/** Returns a text of at most `maxTokens` with the parts of the blocks that have the most content. */
export function* viewBlocks(blocks: readonly ResultBlock[], maxTokens: number): Slices<string> {
  if (maxTokens <= 0) return "";
  const writer = yield* createWriter(blocks, maxTokens);
  const { maxCandidates } = writer;
  for (const [index, block] of blocks.entries()) {
    if (index >= maxCandidates && index < blocks.length - 1) continue;
    if (index >= maxCandidates) {
      const omitted = `[Parts ${maxCandidates + 1}-${index} of ${blocks.length} are left out]`;
      writer.list.add({ text: omitted, parent: -1, indent: 0, weight: 1 });
    }
    const parent =
      blocks.length === 1
        ? -1
        : writer.list.add({ text: `[Part ${index + 1} of ${blocks.length}]`, parent: -1, indent: 0, weight: 1 });
    const place = { parent, indent: 0, weight: 1, depth: 0, isInline: false };
    if (block.kind === "json") yield* writer.addJson(block.value, "JSON", place);
    else yield* writer.addText(block.text, place, blocks.length === 1);
  }
  const { units } = writer.list;
  const selectUnits = yield* prepareSelection(units);
  let budget = maxTokens;
  let text = "";
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    text = renderUnits(units, yield* selectUnits(budget));
    const tokens = estimateTokens(text);
    if (text === "") break;
    if (tokens <= maxTokens) return text;
    budget = Math.floor(Math.min(budget - 5, (budget * maxTokens * 0.98) / tokens));
  }
  const cut = cutLines(text, maxTokens);
  return cut === "" ? cutToTokens(units[0]?.text ?? "", maxTokens) : cut;
}

function* createWriter(blocks: readonly ResultBlock[], maxTokens: number): Slices<UnitWriter> {
  let characters = 0;
  for (const block of blocks)
    characters += block.kind === "text" ? block.text.length : yield* countCharacters(block.value, 10_000_000);
  const writer: UnitWriter = {
    list: createUnitList(),
    share: Math.min(1, (maxTokens * CHARACTERS_PER_TOKEN) / characters),
    maxCandidates: Math.min(2000, Math.max(60, maxTokens)),
    addText: (text, place, isNumbered) => addTextUnits(writer, text, place, isNumbered),
    addJson: (value, label, place) => addJsonUnits(writer, value, label, place),
  };
  return writer;
}

/** The first lines of a text that fit into the budget. */
function cutLines(text: string, maxTokens: number): string {
  const kept: string[] = [];
  let left = maxTokens;
  for (const line of text.split("\n")) {
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.join("\n");
}
