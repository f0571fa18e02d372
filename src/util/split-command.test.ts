import { expect, it } from "vitest";
import { splitCommand } from "./split-command.js";

it.each<[string, string[] | undefined]>([
  ["", []],
  ["npx  -y\tserver", ["npx", "-y", "server"]],
  [`node 'a b' "c d"e`, ["node", "a b", "c de"]],
  [`x "" ''`, ["x", "", ""]],
  [String.raw`x a\ b \"c "d\"e" 'f\g'`, ["x", "a b", '"c', 'd"e', String.raw`f\g`]],
  [String.raw`C:\tools\x.exe "C:\a b"`, [String.raw`C:\tools\x.exe`, String.raw`C:\a b`]],
  ["x 'y", undefined],
  ['x "y', undefined],
])("splitCommand(%j) is %j", (line, words) => {
  expect(splitCommand(line)).toEqual(words);
});
