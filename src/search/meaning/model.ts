import { createHash } from "node:crypto";
import { z } from "zod";
import { PARTS } from "./texts.js";

const MAGIC = "ANYTABLE";
const VERSION = 1;
const HEADER_AT = 16;
const HASH_BYTES = 32;

const section = z.object({ offset: z.int().nonnegative(), length: z.int().nonnegative() });
const maxPieces = z.int().positive().max(4_000);
const header = z.object({
  /** The number of tokens. Token numbers are stored in two bytes, and one value (`NO_PIECE`) means none. */
  pieces: z.int().positive().max(0xffff),
  dims: z.int().positive().multipleOf(16).max(2_048),
  tokenizer: z.object({ queryPieces: maxPieces, joins: z.array(z.string()) }),
  /** For each part of a tool: its weight, and the maximum number of its tokens that are read. */
  fields: z.array(z.object({ weight: z.number().nonnegative(), pieces: maxPieces })).length(PARTS.length),
  sections: z.object({ vocabulary: section, scales: section, vectors: section }),
});

/** The embedding model: one vector for every subword token (piece). */
export interface Model {
  readonly dims: number;
  /** All tokens as UTF-8 text, one per line. The line number is the token number. */
  readonly vocabulary: Uint8Array;
  readonly joins: ReadonlySet<string>;
  readonly queryPieces: number;
  readonly parts: readonly { readonly weight: number; readonly pieces: number }[];
  /** The vectors of all tokens, one after the other: `dims` integers per token. */
  readonly vectors: Int8Array;
  /** For each token, the factor to multiply the integers of its vector with. */
  readonly scales: Float32Array;
}

/** Parses a model file; throws if it is invalid. `train/README.md` describes the format. */
export function readModel(bytes: Uint8Array): Model {
  // The numbers are read in place through typed arrays, which need aligned bytes.
  if (bytes.byteOffset % 8 !== 0) throw new RangeError("The bytes of a model file must be aligned to eight bytes.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number, length: number): string =>
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, start + length));
  if (bytes.length < HEADER_AT + HASH_BYTES || text(0, MAGIC.length) !== MAGIC)
    throw new Error("it is not a model file");
  const version = view.getUint32(8, true);
  if (version !== VERSION) throw new Error(`it has version ${version}, not ${VERSION}`);
  const hash = createHash("sha256").update(bytes.subarray(0, -HASH_BYTES)).digest();
  if (!hash.equals(bytes.subarray(-HASH_BYTES))) throw new Error("its checksum is wrong");
  const length = view.getUint32(12, true);
  const { pieces, dims, tokenizer, fields, sections } = header.parse(JSON.parse(text(HEADER_AT, length)));
  const start = HEADER_AT + length;
  const at = (name: keyof typeof sections): number => bytes.byteOffset + start + sections[name].offset;
  const words = start + sections.vocabulary.offset;
  return {
    dims,
    vocabulary: bytes.subarray(words, words + sections.vocabulary.length),
    joins: new Set(tokenizer.joins),
    queryPieces: tokenizer.queryPieces,
    parts: fields,
    vectors: new Int8Array(bytes.buffer, at("vectors"), pieces * dims),
    scales: new Float32Array(bytes.buffer, at("scales"), pieces),
  };
}
