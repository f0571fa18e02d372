import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A PATH folder with fakes of the platform's tools; each stores its entries and its calls in files. */
export function fakeTools(folder: string): { readonly bin: string; readonly store: string } {
  const [bin, store] = [join(folder, "fake-bin"), join(folder, "fake-store")];
  mkdirSync(bin, { recursive: true });
  mkdirSync(store, { recursive: true });
  for (const [name, body] of Object.entries(TOOLS)) {
    const head = `#!${process.execPath}\nconst STORE = ${JSON.stringify(store)};\nconst NAME = ${JSON.stringify(name)};\n`;
    writeFileSync(join(bin, name), `${head}${COMMON}${body}`);
    chmodSync(join(bin, name), 0o755);
  }
  return { bin, store };
}

const COMMON = `
const fs = require("node:fs");
const args = process.argv.slice(2);
fs.appendFileSync(STORE + "/calls", NAME + " " + args.join(" ") + "\\n");
const file = (...names) => STORE + "/" + names.join("~").replaceAll("/", "~");
const input = () => fs.readFileSync(0, "utf8");
const get = (path) => {
  if (!fs.existsSync(path)) { process.stderr.write("no such entry.\\n"); process.exit(44); }
  process.stdout.write(fs.readFileSync(path, "utf8"));
};
`;

const TOOLS: Readonly<Record<string, string>> = {
  "secret-tool": `
    const [verb, ...rest] = args.filter((word) => !word.startsWith("--"));
    const path = file(rest[1], rest[3]);
    if (verb === "lookup") { if (!fs.existsSync(path)) process.exit(1); get(path); }
    if (verb === "store") fs.writeFileSync(path, input());
    if (verb === "clear") fs.rmSync(path, { force: true });
  `,
  security: `
    const words = args[0] === "-i" ? input().trim().split(" ") : args;
    const value = (option) => words[words.indexOf(option) + 1];
    const path = file(value("-s"), value("-a"));
    if (words[0] === "find-generic-password") { get(path); process.stdout.write("\\n"); }
    if (words[0] === "add-generic-password") fs.writeFileSync(path, Buffer.from(value("-X"), "hex"));
    if (words[0] === "delete-generic-password") fs.rmSync(path);
  `,
  op: `get(file(args.at(-1)));`,
  vault: `get(file(args.at(-1), args.at(-2).replace("-field=", "")));`,
};
