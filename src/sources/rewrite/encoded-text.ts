import { decodeUtf8 } from "../../util/document/text.js";

/** The text of a file and its byte order mark, so that the same bytes can be written again. */
export interface EncodedText {
  readonly text: string;
  readonly mark: string;
}

const MARK = "\ufeff";

/** Decodes UTF-8. Returns undefined if the bytes are not valid UTF-8; such a file must not be edited. */
export function decodeText(bytes: Uint8Array): EncodedText | undefined {
  const content = decodeUtf8(bytes);
  if (content.kind !== "text") return undefined;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { text: content.text, mark: hasMark ? MARK : "" };
}

export function encodeText({ text, mark }: EncodedText): Uint8Array {
  return Buffer.from(`${mark}${text}`, "utf8");
}
