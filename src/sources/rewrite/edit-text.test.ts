import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, it } from "vitest";
import type { Change } from "./change.js";
import { editText } from "./edit-text.js";

const GATEWAY = { key: "anygpt", value: { command: "npx", args: ["-y", "@anygpt/discovery"] } };
const space = fc.constantFrom("", " ", "\n", "\r\n  ", "\t", ' // note, "x": {\n', "/* } */", "\n\n    ");
const word: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d e", "f/g", "é", "anygpt2");
const scalar = fc.constantFrom(
  '"x"',
  "1",
  "null",
  "true",
  '"}"',
  '"// no"',
  '"\\""',
  "[1,\n 2]",
  '{ "k": [ {} ] }',
  "[]",
);

/** A map with every kind of white space and comment that JSON with comments allows. */
const map = (value: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.uniqueArray(word, { maxLength: 5 }),
      fc.array(fc.tuple(space, space, value, space), { minLength: 5, maxLength: 5 }),
      space,
      fc.boolean(),
    )
    .map(([keys, parts, end, isOpenEnded]) => {
      const members = keys.map((key, index) => {
        const [before, between, text, after] = parts[index]!;
        return `${before}${JSON.stringify(key)}${between}:${between}${text}${after}`;
      });
      return { keys, text: `{${members.join(",")}${isOpenEnded && keys.length > 0 ? "," : ""}${end}}` };
    });

it("changes only the map of servers and no other byte, in any layout", async () => {
  const cases = fc.tuple(map(scalar), map(scalar), map(scalar), fc.infiniteStream(fc.boolean()), fc.boolean());
  await fc.assert(
    fc.asyncProperty(cases, async ([before, servers, after, goes, adds]) => {
      const head = `{ "head": ${before.text}, /* {"servers":{}} */ "servers": `;
      const tail = `, "tail": ${after.text},\n} // end`;
      const text = `${head}${servers.text}${tail}`;
      const remove = servers.keys.filter(() => goes.next().value === true);
      const change: Change = { container: ["servers"], kind: "map", remove, add: adds ? [GATEWAY] : [] };
      const result = await editText(text, "json", [change]);
      if (result.kind === "refused") throw new Error(result.reason);
      expect(result.text.startsWith(head)).toBe(true);
      expect(result.text.endsWith(tail)).toBe(true);
      const was = (parse(text) as { servers: Record<string, unknown> }).servers;
      const is = (parse(result.text) as { servers: Record<string, unknown> }).servers;
      const kept = Object.entries(was).filter(([key]) => !remove.includes(key));
      expect(is).toEqual({ ...Object.fromEntries(kept), ...(adds ? { anygpt: GATEWAY.value } : {}) });
      expect(Object.keys(is).filter((key) => key !== "anygpt")).toEqual(kept.map(([key]) => key));
    }),
    { numRuns: 400 },
  );
});

it("changes only the named TOML tables and no other byte", async () => {
  const filler = fc.constantFrom(
    "# note [mcp_servers.a]",
    "",
    '"q.[x]" = 1',
    'x = """\n[mcp_servers.b]\n"""',
    "y = ['''\n''', [1]]",
    "z = {a = '}'}",
  );
  const cases = fc.tuple(
    fc.uniqueArray(fc.constantFrom("a", "b", '"c d"', "'e'"), { minLength: 1 }),
    fc.array(filler, { minLength: 6, maxLength: 6 }),
    fc.constantFrom("\n", "\r\n"),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([names, fillers, lineBreak]) => {
      const servers = names.map(
        (name) => `[mcp_servers.${name}]\ncommand = "${name.length}"\n[mcp_servers.${name}.env]\nK = "]"\n`,
      );
      const others = fillers.map((line, index) => `[other${index}]\n${line}\n\n`);
      const text = others
        .flatMap((other, index) => [other, servers[index] ?? ""])
        .join("")
        .replaceAll("\n", lineBreak);
      const remove = names.map((name) => name.replace(/["']/g, ""));
      const result = await editText(text, "toml", [
        { container: ["mcp_servers"], kind: "map", remove, add: [GATEWAY] },
      ]);
      if (result.kind === "refused") throw new Error(result.reason);
      const block = `[mcp_servers.anygpt]\ncommand = "npx"\nargs = [ "-y", "@anygpt/discovery" ]\n`.replaceAll(
        "\n",
        lineBreak,
      );
      expect(result.text.replace(block, "")).toBe(others.join("").replaceAll("\n", lineBreak));
    }),
    { numRuns: 100 },
  );
});

it.each([
  ["json", "{ nope"],
  ["yaml", "a: [1"],
  ["yaml", "a: 1\na: 2"],
  ["toml", "a = "],
] as const)("rejects invalid %s: %s", async (format, text) => {
  const result = await editText(text, format, [{ container: ["x"], kind: "map", remove: [], add: [GATEWAY] }]);
  expect(result.kind).toBe("refused");
});

it.each([
  ["a list where a map is expected", '{ "x": [] }'],
  ["a text where a map is expected", '{ "x": "y" }'],
  ["a list at the root where a map is expected", "[]"],
])("rejects %s", async (_name, text) => {
  const result = await editText(text, "json", [{ container: ["x"], kind: "map", remove: [], add: [GATEWAY] }]);
  expect(result.kind).toBe("refused");
});

it("replaces null by a map", async () => {
  const change: Change = { container: ["x", "y"], kind: "map", remove: [], add: [{ key: "k", value: 1 }] };
  expect(await editText('{ "x": null }', "json", [change])).toEqual({
    kind: "edited",
    text: '{ "x": { "y": { "k": 1 } } }',
  });
  expect(await editText("x:\n  # what\n  z: 1\n", "yaml", [change])).toEqual({
    kind: "edited",
    text: "x:\n  # what\n  z: 1\n  y:\n    k: 1\n",
  });
});
