import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("young-generation.ts", import.meta.url));

/** Allocates objects that survive, then prints the size of V8's young generation in MiB. */
const PROGRAM = `
import { getHeapSpaceStatistics } from "node:v8";
const keep = [];
const make = async () => { for (let n = 0; n < 400_000; n += 1) keep.push({ n, text: "x" + n }); };
await (process.argv[1] === "usual" ? make() : withoutGrowth(make));
await (process.argv[1] === "after" ? make() : undefined);
const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
console.log(young.space_size / 2 ** 20);
`;

async function youngSpaceOf(way: string): Promise<{ size: number; stderr: string }> {
  const { outputFiles } = await build({ entryPoints: [SOURCE], format: "esm", write: false });
  const code = `${outputFiles[0]?.text}\n${PROGRAM}`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code, way], {
    env: {},
  });
  return { size: Number(stdout), stderr };
}

it("keeps V8's young generation small during the work, and lets it grow afterwards", async () => {
  const [usual, during, after] = await Promise.all(["usual", "during", "after"].map(youngSpaceOf));
  expect(during!.size).toBeLessThan(usual!.size / 2);
  expect(after!.size).toBeGreaterThan(during!.size);
  expect(during!.stderr).toBe("");
});
