import { toText } from "../../util/document/text.js";

/** The text of a file and what stood before it, so that the same bytes can be made of it again. */
export interface EncodedText {
  readonly text: string;
  readonly mark: string;
}

const MARK = "\ufeff";

/** Undefined for what is not UTF-8 text, which nobody should edit. */
export function decodeText(bytes: Uint8Array): EncodedText | undefined {
  const content = toText(bytes);
  if (content.kind !== "text") return undefined;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { text: content.text, mark: hasMark ? MARK : "" };
}

export function encodeText({ text, mark }: EncodedText): Uint8Array {
  return Buffer.from(`${mark}${text}`, "utf8");
}
