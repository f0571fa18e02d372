// Runs a program of any build of this package. Start: node launch.mjs FOLDER discovery|anygpt WORDS…
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder = "dist", program] = process.argv;
process.argv.splice(2, 2);
const { runAnygpt, runDiscovery } = await import(pathToFileURL(join(resolve(folder), "main.js")).href);
await (program === "anygpt" ? runAnygpt() : runDiscovery());
