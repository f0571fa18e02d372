import { createHash } from "node:crypto";
import { z } from "zod";
import { PARTS } from "./texts.js";

const MAGIC = "ANYTABLE";
const VERSION = 1;
const HEADER_AT = 16;
const HASH_BYTES = 32;

const section = z.object({ offset: z.int().nonnegative(), length: z.int().nonnegative() });
const mostPieces = z.int().positive().max(4_000);
const header = z.object({
  /** Numbers of pieces are kept in two bytes, one of which means none. */
  pieces: z.int().positive().max(0xffff),
  dims: z.int().positive().multipleOf(16).max(2_048),
  tokenizer: z.object({ queryPieces: mostPieces, joins: z.array(z.string()) }),
  /** How much each part of a tool weighs, and how many of its pieces are read. */
  fields: z.array(z.object({ weight: z.number().nonnegative(), pieces: mostPieces })).length(PARTS.length),
  sections: z.object({ vocabulary: section, scales: section, vectors: section }),
});

/** The table of numbers: a vector for every piece of text. */
export interface Model {
  readonly dims: number;
  /** Lines of UTF-8, one piece each. */
  readonly vocabulary: Uint8Array;
  readonly joins: ReadonlySet<string>;
  readonly queryPieces: number;
  readonly parts: readonly { readonly weight: number; readonly pieces: number }[];
  /** One whole number per dimension, piece after piece. */
  readonly vectors: Int8Array;
  /** By piece: what its numbers are to be multiplied with. */
  readonly scales: Float32Array;
}

/** The bytes of a model file, whose form `train/README.md` tells; throws what is wrong with them. */
export function readModel(bytes: Uint8Array): Model {
  // The numbers are used in place.
  if (bytes.byteOffset % 8 !== 0) throw new RangeError("A model file begins at a multiple of eight bytes.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number, length: number): string =>
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, start + length));
  if (bytes.length < HEADER_AT + HASH_BYTES || text(0, MAGIC.length) !== MAGIC) throw new Error("it is no model file");
  const version = view.getUint32(8, true);
  if (version !== VERSION) throw new Error(`it has version ${version}, not ${VERSION}`);
  const hash = createHash("sha256").update(bytes.subarray(0, -HASH_BYTES)).digest();
  if (!hash.equals(bytes.subarray(-HASH_BYTES))) throw new Error("its bytes are not those that were written");
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
