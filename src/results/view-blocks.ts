import { estimateTokens } from "./estimate-tokens.js";
import { cutToTokens } from "./fit-tokens.js";
import { addJsonUnits } from "./json-units.js";
import { renderUnits } from "./render-units.js";
import type { ResultBlock } from "./result-blocks.js";
import { selectUnits } from "./select-units.js";
import type { Slices } from "./slices.js";
import { addTextUnits } from "./text-units.js";
import { SHOWN_WEIGHT, createUnitList, divideRoom, MIN_ROOM, type Unit, type UnitWriter } from "./unit.js";

const CHARACTERS_PER_TOKEN = 3.3;
/** A unit has about ten tokens: several times as many as fit are considered. */
const UNITS_PER_TOKEN = 0.35;
const MIN_UNITS = 2000;
/** Separators and notes take more or fewer tokens than the selection expects. */
const SURPLUS = 1.15;
const MAX_ATTEMPTS = 6;
const MAX_CAPTION_CHARACTERS = 200;

/**
 * Returns a text of at most `maxTokens` with the parts of the blocks that have the most content. `characters` is the size
 * of all blocks.
 */
export function* viewBlocks(blocks: readonly ResultBlock[], maxTokens: number, characters: number): Slices<string> {
  if (maxTokens <= 0) return "";
  const { units } = yield* toUnits(blocks, maxTokens, characters);
  const chosen = yield* selectUnits(units, maxTokens * SURPLUS);
  const isChosen: boolean[] = units.map(() => false);
  let budget = maxTokens;
  let text = "";
  let best = "";
  let count = -1;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    yield;
    // A beginning of the selection is the selection for a smaller budget.
    const before = count;
    count = 0;
    for (const { index, tokens } of chosen) {
      isChosen[index] = tokens <= budget;
      if (tokens <= budget) count += 1;
    }
    if (count === before) break;
    text = renderUnits(units, isChosen);
    const tokens = estimateTokens(text);
    if (tokens <= maxTokens && text.length > best.length) best = text;
    if (tokens <= maxTokens && (tokens > maxTokens * 0.97 || count === chosen.length)) break;
    budget = (budget * maxTokens * 0.985) / tokens;
  }
  if (best !== "") return best;
  const cut = cutLines(text, maxTokens);
  return cut === "" ? cutToTokens(units[0]?.text ?? "", maxTokens) : cut;
}

function* toUnits(
  blocks: readonly ResultBlock[],
  maxTokens: number,
  characters: number,
): Slices<{ units: readonly Unit[] }> {
  const list = createUnitList();
  const writer: UnitWriter = {
    list,
    maxTokens,
    share: Math.min(1, (maxTokens * CHARACTERS_PER_TOKEN) / characters),
    addText: (text, place, isNumbered) => addTextUnits(writer, text, place, isNumbered),
    addJson: (value, label, place) => addJsonUnits(writer, value, label, place),
  };
  const room = Math.max(MIN_UNITS, Math.floor(maxTokens * UNITS_PER_TOKEN));
  const share = divideRoom(list, room);
  const shown = Math.min(blocks.length, Math.ceil(room / MIN_ROOM));
  for (let index = 0; index < shown; index += 1) {
    // The last block is always considered.
    const at = index === shown - 1 ? blocks.length - 1 : index;
    const block = blocks[at];
    if (block === undefined) break;
    if (at > index) list.add({ text: `[Parts ${index + 1}-${at} are left out]`, parent: -1, indent: 0, weight: 1 });
    const parent = block.label === undefined ? -1 : list.add({ text: block.label, parent: -1, indent: 0, weight: 1 });
    // A short text before or after JSON says what that is.
    const isCaption = blocks.length > 1 && block.kind === "text" && block.text.length <= MAX_CAPTION_CHARACTERS;
    const weight = isCaption ? SHOWN_WEIGHT : 1;
    const place = { parent, indent: 0, weight, depth: 0, isInline: false, room: share(shown - index) };
    if (block.kind === "json") yield* addJsonUnits(writer, block.value, "JSON", place);
    else yield* addTextUnits(writer, block.text, place, blocks.length === 1);
  }
  return list;
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
