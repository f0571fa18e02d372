import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { convertDocument } from "./convert-document.js";
import { type DocumentConnection, withoutSecrets } from "./document-connection.js";
import { convertInThread } from "./convert-in-thread.js";

const CONNECTION: DocumentConnection = {
  document: "/api.json",
  baseUrl: "https://api.test",
  idempotencyHeader: "Idempotency-Key",
  operations: [{ tools: ["post-*"], risk: "high" }],
  headers: { "X-Version": "2" },
  auth: { kind: "api-key", in: "query", name: "key", value: "canary" },
};

let folder = "";
let program = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-document-worker-"));
  program = join(folder, "document-worker.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./document-worker.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function largeDocument(): string {
  const paths = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [
      `/p${index}/{id}`,
      {
        post: {
          summary: "x".repeat(300),
          parameters: [
            { name: "key", in: "query" },
            { name: "x-version", in: "header" },
          ],
        },
      },
    ]),
  );
  return JSON.stringify({ openapi: "3.1.0", paths });
}

it("returns the same result as without a thread", async () => {
  const text = largeDocument();
  expect(await convertInThread(text, CONNECTION, program)).toEqual(await convertDocument(text, CONNECTION));
});

it("reads a document from the web in a thread, even if it is small", async () => {
  const small = JSON.stringify({ openapi: "3.1.0", paths: { "/a": { get: {} } } });
  const fromWeb = { ...CONNECTION, document: "https://x.test/api.json" };
  const silent = fileURLToPath(import.meta.url);
  expect((await convertInThread(small, fromWeb, program)).tools).toHaveLength(1);
  await expect(convertInThread(small, fromWeb, silent)).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});

it("passes the names of credentials to the thread, never their values", () => {
  expect(withoutSecrets(CONNECTION)).toEqual({
    ...CONNECTION,
    headers: { "X-Version": "" },
    auth: { kind: "api-key", in: "query", name: "key", value: "" },
  });
});

it("reports why a document is rejected", async () => {
  const text = JSON.stringify({ none: "x".repeat(200_000) });
  await expect(convertInThread(text, CONNECTION, program)).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: "The document is neither OpenAPI 3, Swagger 2.0 nor a Postman collection 2.1.",
    hint: expect.stringContaining("Give the URL or file of the OpenAPI document") as string,
  });
});

it("rejects the document if the thread ends without an answer", async () => {
  await expect(convertInThread(largeDocument(), CONNECTION, fileURLToPath(import.meta.url))).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
  });
});

it("uses no thread for small local documents, and none if the worker program does not exist", async () => {
  const small = JSON.stringify({ openapi: "3.1.0", paths: { "/a": { get: {} } } });
  expect((await convertInThread(small, CONNECTION, program)).tools).toHaveLength(1);
  expect((await convertInThread(largeDocument(), CONNECTION, join(folder, "none.mjs"))).tools).toHaveLength(400);
});
