// Converts all API documents into tools, twice, in a separate process, so that memory can be measured.
import { readFileSync } from "node:fs";

process.once("message", async ({ internals: address, documents }) => {
  const { convertDocument, compileCheck } = await import(address);
  const before = heapMegabytes();
  const first = [];
  for (const { file } of documents) first.push(await convert(file, convertDocument));
  const kept = heapMegabytes() - before;
  const peak = process.resourceUsage().maxRSS / 1024;
  const again = [];
  for (const { file } of documents) again.push(await convert(file, convertDocument));
  const tools = first.flatMap(({ tools: own }, index) => own.map((tool) => [documents[index].adapter, tool]));
  process.send(
    {
      milliseconds: first.map((one) => one.milliseconds),
      operations: first.map((one) => one.tools.length),
      dropped: first.flatMap((one) => one.dropped).length,
      keptMegabytes: kept,
      peakMegabytes: peak,
      namesTwice: tools.length - new Set(tools.map(([adapter, { name }]) => `${adapter}:${name}`)).size,
      differing: first.filter((one, index) => JSON.stringify(one.tools) !== JSON.stringify(again[index].tools)).length,
      unsound: tools.filter(([, { inputSchema }]) => !compiles(inputSchema, compileCheck)).length,
    },
    () => process.disconnect(),
  );
});

async function convert(file, convertDocument) {
  const text = readFileSync(file, "utf8");
  const started = performance.now();
  const { tools, dropped } = await convertDocument(text, { document: file, operations: [] });
  return { tools, dropped, milliseconds: performance.now() - started };
}

/** Validates one value, because some parts of a schema are read only then. */
function compiles(schema, compileCheck) {
  try {
    compileCheck(structuredClone(schema))({});
    return true;
  } catch {
    return false;
  }
}

function heapMegabytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}
