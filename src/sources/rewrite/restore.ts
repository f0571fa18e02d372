import { findNodeAtLocation, getNodeValue, type Node, parseTree, type ParseError } from "jsonc-parser";
import type { Path } from "../../util/document/problem.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { decodeText, encodeText } from "./encoded-text.js";
import { type Splice, splice } from "./text-style.js";

export interface RestoreParts {
  /** Three contents of a JSON file: before the gateway's change, after it (`after`), and the current one (`now`). */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly now: Uint8Array;
  /** The paths of the maps and lists that the gateway changed. */
  readonly sections: readonly Path[];
}

/**
 * The current file with the changed sections restored to their previous content. Undefined if a section was changed
 * again since then, or did not exist before: then only the whole file can be restored.
 */
export function restoreSections({ before, after, now, sections }: RestoreParts): Uint8Array | undefined {
  const current = decodeText(now);
  const [was, left, is] = [before, after, now].map(treeOf);
  if (current === undefined || was === undefined || left === undefined || is === undefined) return undefined;
  const splices: Splice[] = [];
  for (const section of sections) {
    const [old, written, present] = [was.root, left.root, is.root].map((root) =>
      findNodeAtLocation(root, [...section]),
    );
    if (old === undefined || written === undefined || present === undefined) return undefined;
    if (!isEqualJson(getNodeValue(written), getNodeValue(present))) return undefined;
    const { offset: start, length } = present;
    splices.push({ start, end: start + length, text: was.text.slice(old.offset, old.offset + old.length) });
  }
  return splices.length === 0 ? undefined : encodeText({ ...current, text: splice(current.text, splices) });
}

function treeOf(bytes: Uint8Array): { readonly root: Node; readonly text: string } | undefined {
  const content = decodeText(bytes);
  const errors: ParseError[] = [];
  const root = content === undefined ? undefined : parseTree(content.text, errors, { allowTrailingComma: true });
  return content === undefined || root === undefined || errors.length > 0 ? undefined : { root, text: content.text };
}
