import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import type { ServerDefinition } from "../../model/server.js";
import { toolId } from "../../model/tool.js";
import type { EvalQuery } from "../../search/evaluate.js";
import { toText } from "../../util/document/text.js";

const reference = z.object({ server: z.string().min(1), name: z.string().min(1) });

const catalogFile = z
  .array(
    reference.extend({
      title: z.string().nullish(),
      description: z.string().nullish(),
      inputSchema: z.record(z.string(), z.unknown()).nullish(),
      tags: z.array(z.string()).nullish(),
    }),
  )
  .min(1);

const queriesFile = z
  .array(
    z.object({
      query: z.string().min(1),
      relevant: z.array(reference.extend({ grade: z.number().nonnegative().nullish() })),
    }),
  )
  .min(1);

/** Tools of a file as if each server had them in its manifest. */
export interface EvalCatalog {
  readonly servers: readonly ServerDefinition[];
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/** `[{server, name, description, inputSchema, tags?}]`; of tools with the same id the first counts. */
export async function readCatalogFile(file: string, cwd: string): Promise<EvalCatalog> {
  const manifests = new Map<string, ServerDefinition["manifest"][number][]>();
  const tags = new Map<string, readonly string[]>();
  for (const { server, name, title, description, inputSchema, tags: own } of await readList(file, cwd, catalogFile)) {
    const id = toolId(server, name);
    if (tags.has(id)) continue;
    tags.set(id, own ?? []);
    const manifest = manifests.get(server) ?? [];
    manifests.set(server, manifest);
    manifest.push({
      name,
      inputSchema: inputSchema ?? {},
      ...(title ? { title } : {}),
      ...(description ? { description } : {}),
    });
  }
  const connection = { kind: "stdio", command: "", args: [], env: {} } as const;
  const servers = [...manifests].map(([name, manifest]) => ({ name, connection, manifest, origin: file }));
  return { servers, tags };
}

/** `[{query, relevant: [{server, name, grade?}]}]` */
export async function readQueriesFile(file: string, cwd: string): Promise<EvalQuery[]> {
  const queries = await readList(file, cwd, queriesFile);
  return queries.map(({ query, relevant }) => ({
    query,
    relevant: relevant.map(({ server, name, grade }) => ({
      id: toolId(server, name),
      ...(grade === undefined || grade === null ? {} : { grade }),
    })),
  }));
}

const MOST_PROBLEMS = 5;

async function readList<Schema extends z.ZodType>(
  file: string,
  cwd: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const checked = schema.safeParse(parse(await read(file, cwd), file));
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(
    ({ path, message }) => `${path.map(String).join(".") || "the file"}: ${message}`,
  );
  const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : "";
  throw wrong(`${file} has another form: ${problems.slice(0, MOST_PROBLEMS).join("; ")}${more}.`);
}

async function read(file: string, cwd: string): Promise<string> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    throw wrong(
      error.code === "ENOENT" ? `${file} does not exist.` : `${file} could not be read (${error.code ?? "unknown"}).`,
    );
  });
  const text = toText(bytes);
  if (text.kind === "text") return text.text;
  throw wrong(`${file} ${text.kind === "unreadable" ? text.reason : "does not exist"}.`);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw wrong(`${file} is not valid JSON${position === undefined ? "" : ` (at character ${position})`}.`);
  }
}

function wrong(message: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: "A catalog is [{server, name, description, inputSchema, tags?}], queries are [{query, relevant: [{server, name, grade?}]}].",
  });
}
