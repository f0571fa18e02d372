import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";

interface Place {
  readonly file: string;
  readonly line: number;
}

const { createSourceIndex } = (await import(new URL("../bench/path/source-index.mjs", import.meta.url).href)) as {
  createSourceIndex(folder: string, root?: string): { find(url: string, offset: number): Place | undefined };
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bench-path-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function bundle(): Promise<{ url: string; text: string; folder: string }> {
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/leaf.ts"), "\n\nexport function leaf(): number {\n  return 1;\n}\n");
  writeFileSync(
    join(root, "src/main.ts"),
    'import { leaf } from "./leaf.js";\n\nexport const twice = () => leaf() * 2;\n',
  );
  const folder = join(root, "out");
  const file = join(folder, "main.js");
  await build({
    entryPoints: [join(root, "src/main.ts")],
    outfile: file,
    bundle: true,
    sourcemap: true,
    minifyWhitespace: true,
    format: "esm",
    logLevel: "silent",
  });
  return { url: pathToFileURL(file).href, text: readFileSync(file, "utf8"), folder };
}

it("maps a function of a bundle to its source file and line", async () => {
  const { url, text, folder } = await bundle();
  const { find } = createSourceIndex(folder, root);
  expect(find(url, text.indexOf("function leaf"))).toMatchObject({ file: "src/leaf.ts", line: 3 });
  expect(find(url, text.indexOf("()=>"))).toMatchObject({ file: "src/main.ts", line: 3 });
});

it("finds nothing for scripts outside the build", async () => {
  const { folder } = await bundle();
  const { find } = createSourceIndex(folder, root);
  expect(find("node:internal/streams", 0)).toBeUndefined();
  expect(find(pathToFileURL(join(root, "src/main.ts")).href, 0)).toBeUndefined();
});
