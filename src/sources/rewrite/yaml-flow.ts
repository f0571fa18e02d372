import { isMap, isNode, isScalar, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { type Change, type TextEdit, edited, refused } from "./change.js";
import { toJsonText } from "./json-value.js";
import { beginsLine, indentAt, type Splice, splice, type TextStyle } from "./text-style.js";

interface FlowItem {
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

/** Changes a map or list in flow style (braces or brackets). The caller verifies the result. */
export function editFlow(text: string, node: YAMLMap | YAMLSeq, change: Change, style: TextStyle): TextEdit {
  const [open, close] = node.range ?? [];
  const items = node.items.map((item, index) => toItem(node, item, index));
  if (open === undefined || close === undefined)
    return refused("has a flow-style map or list that cannot be edited safely");
  const known = items.filter((item) => item !== undefined);
  if (known.length < items.length) return refused("has a flow-style map or list whose members cannot be edited safely");
  const added = membersInline(change);
  const last = known.at(-1);
  if (last === undefined) {
    const [before, after] = isMap(node) ? ["{ ", " }"] : ["[", "]"];
    return edited(splice(text, [{ start: open, end: close, text: `${before}${added.join(", ")}${after}` }]));
  }
  const removed = known.filter(({ key }) => change.remove.includes(key));
  // The new members replace the first removed one, so that no comma has to move.
  const replaced = added.length > 0 ? removed[0] : undefined;
  const splices = removed.flatMap((item): Splice[] =>
    item === replaced ? [{ ...rangeOf(item), text: added.join(", ") }] : [removal(known, item)],
  );
  if (replaced === undefined && added.length > 0) splices.push(...append(text, last, added, style));
  return edited(splice(text, splices));
}

function rangeOf({ start, end }: FlowItem): { readonly start: number; readonly end: number } {
  return { start, end };
}

function toItem(node: YAMLMap | YAMLSeq, item: unknown, index: number): FlowItem | undefined {
  if (!isMap(node))
    return isNode(item) && item.range ? { key: index, start: item.range[0], end: item.range[1] } : undefined;
  const { key, value } = item as Pair;
  if (!isScalar(key) || !key.range) return undefined;
  const end = isNode(value) && value.range ? Math.max(value.range[1], key.range[1]) : key.range[1];
  return { key: String(key.value), start: key.range[0], end };
}

/**
 * Removes the item with the comma after it; for the last item, with the comma before it. YAML allows a trailing comma.
 */
function removal(items: readonly FlowItem[], item: FlowItem): Splice {
  const index = items.indexOf(item);
  const next = items[index + 1];
  if (next !== undefined) return { start: item.start, end: next.start, text: "" };
  return { start: items[index - 1]?.end ?? item.start, end: item.end, text: "" };
}

function append(text: string, last: FlowItem, added: readonly string[], style: TextStyle): Splice[] {
  const separator = beginsLine(text, last.start) ? `${style.lineBreak}${indentAt(text, last.start)}` : " ";
  const comma = /^\s*,/.exec(text.slice(last.end))?.[0].length;
  const at = last.end + (comma ?? 0);
  return [{ start: at, end: at, text: `${comma === undefined ? "," : ""}${separator}${added.join(`,${separator}`)}` }];
}

function membersInline({ kind, add }: Change): string[] {
  return add.map(({ key, value }) => {
    const text = toJsonText(value, { step: "", layout: "line" });
    return kind === "list" ? text : `${/^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key)}: ${text}`;
  });
}
