import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DiscoveryError } from "../../src/errors.js";
import { type EvalSetFiles, type EvalTool, readToolsFile } from "../../src/operations/evaluation/evaluation-files.js";

const TOOLS = ".tools.json";

/** The sets `NAME.{tools,queries,unanswerable}.json` of a data folder, sorted by name. */
export async function findSets(folder: string, cwd: string): Promise<EvalSetFiles[]> {
  const places = [join(folder, "search"), folder];
  for (const place of places) {
    const sets = toSets(place, await listFolder(place, cwd));
    if (sets.length > 0) return sets;
  }
  throw new DiscoveryError("INVALID_REQUEST", `${folder} has no sets to measure with.`, {
    hint: "A set is a pair of files NAME.tools.json and NAME.queries.json, in the folder itself or in its folder search.",
  });
}

/** All tools of these files, and of the `*.tools.json` files in these folders. */
export async function readDistractors(paths: readonly string[], cwd: string): Promise<EvalTool[]> {
  const files = (await Promise.all(paths.map((path) => toolFilesAt(path, cwd)))).flat();
  const tools: EvalTool[] = [];
  for (const file of files) tools.push(...(await readToolsFile(file, cwd)));
  return tools;
}

function toSets(folder: string, entries: readonly string[]): EvalSetFiles[] {
  const names = entries.filter((entry) => entry.endsWith(TOOLS)).map((entry) => entry.slice(0, -TOOLS.length));
  return names
    .filter((name) => entries.includes(`${name}.queries.json`))
    .map((name) => ({
      name,
      tools: join(folder, `${name}${TOOLS}`),
      queries: join(folder, `${name}.queries.json`),
      unanswerable: entries.includes(`${name}.unanswerable.json`)
        ? join(folder, `${name}.unanswerable.json`)
        : undefined,
    }));
}

async function toolFilesAt(path: string, cwd: string): Promise<string[]> {
  const isFolder = await stat(resolve(cwd, path)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const files = (await listFolder(path, cwd)).filter((entry) => entry.endsWith(TOOLS));
  if (files.length > 0) return files.map((file) => join(path, file));
  throw new DiscoveryError("INVALID_REQUEST", `${path} has no *${TOOLS} files.`, {
    hint: "Name files with the tools to add, or a folder that has some.",
  });
}

async function listFolder(folder: string, cwd: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder)).catch(() => []);
  return entries.sort();
}
