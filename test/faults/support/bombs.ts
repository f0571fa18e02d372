/** A request below the size limit that is expensive to read. */
export interface Bomb {
  readonly what: string;
  /** The text of the tool's arguments. */
  readonly args: string;
}

const nested = (open: string, close: string, depth: number): string =>
  `{"id":${open.repeat(depth)}1${close.repeat(depth)}}`;
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join()}}`;

export const BOMBS: readonly Bomb[] = [
  { what: "lists, 65 deep", args: nested("[", "]", 65) },
  { what: "objects, 65 deep", args: nested('{"a":', "}", 65) },
  { what: "lists, 10,000 deep", args: nested("[", "]", 10_000) },
  { what: "objects, 10,000 deep", args: nested('{"a":', "}", 10_000) },
  { what: "lists, 500,000 deep", args: nested("[", "]", 500_000) },
  { what: "objects, 150,000 deep", args: nested('{"a":', "}", 150_000) },
  { what: "an object of 100,000 keys", args: members(100_000) },
  { what: "a list of 400,000 numbers", args: `{"id":[${"1,".repeat(400_000)}1]}` },
];
