import { resolve } from "node:path";
import { z } from "zod";
import { DiscoveryError } from "../../errors.js";
import { type ToolDefinition, toolId } from "../../model/tool.js";
import type { EvalQuery } from "../../search/evaluate.js";
import { decodeUtf8 } from "../../util/document/text.js";
import { readRegularFile } from "../../util/regular-file.js";

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
      relevant: z
        .array(reference.extend({ grade: z.number().nonnegative().nullish() }))
        .min(1, "no relevant tool; put unanswerable queries into a separate file"),
    }),
  )
  .min(1);

const unanswerableFile = z.array(z.object({ query: z.string().min(1) })).min(1);

/** One tool of a labelled set. */
export interface EvalTool {
  readonly server: string;
  readonly tags: readonly string[];
  readonly definition: ToolDefinition;
}

/** Tools, and queries whose relevant tools are known. */
export interface EvalSet {
  readonly name: string;
  readonly tools: readonly EvalTool[];
  readonly queries: readonly EvalQuery[];
  /** Queries that no tool of the set can answer. */
  readonly unanswerable: readonly string[] | undefined;
}

/** The files of a set, relative to the folder that `readEvalSet` gets. */
export interface EvalSetFiles {
  readonly name: string;
  /** Path of a JSON file with the tools: `[{server, name, description, inputSchema, tags?}]`. */
  readonly tools: string;
  /** Path of a JSON file with the labelled queries: `[{query, relevant: [{server, name, grade?}]}]`. */
  readonly queries: string;
  /** Path of a JSON file with queries that no tool can answer: `[{query}]`. */
  readonly unanswerable: string | undefined;
}

/** Reads and checks the files of one set. Throws INVALID_REQUEST for a file that does not match its schema. */
export async function readEvalSet(files: EvalSetFiles, cwd: string): Promise<EvalSet> {
  const { name, tools, queries, unanswerable } = files;
  return {
    name,
    tools: await readToolsFile(tools, cwd),
    queries: await readQueriesFile(queries, cwd),
    unanswerable: unanswerable === undefined ? undefined : await readUnanswerableFile(unanswerable, cwd),
  };
}

/** @internal */
export async function readToolsFile(file: string, cwd: string): Promise<EvalTool[]> {
  const tools = await readList(file, cwd, catalogFile);
  return tools.map(({ server, name, title, description, inputSchema, tags }) => ({
    server,
    tags: tags ?? [],
    definition: {
      name,
      inputSchema: inputSchema ?? {},
      ...(title ? { title } : {}),
      ...(description ? { description } : {}),
    },
  }));
}

async function readQueriesFile(file: string, cwd: string): Promise<EvalQuery[]> {
  const queries = await readList(file, cwd, queriesFile);
  return queries.map(({ query, relevant }) => ({
    query,
    relevant: relevant.map(({ server, name, grade }) => ({
      id: toolId(server, name),
      ...(grade === undefined || grade === null ? {} : { grade }),
    })),
  }));
}

async function readUnanswerableFile(file: string, cwd: string): Promise<string[]> {
  const queries = await readList(file, cwd, unanswerableFile);
  return queries.map(({ query }) => query);
}

const MAX_PROBLEMS = 5;

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
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : "";
  throw invalidRequest(`${file} does not match its schema: ${problems.slice(0, MAX_PROBLEMS).join("; ")}${more}.`);
}

async function read(file: string, cwd: string): Promise<string> {
  const bytes = await readRegularFile(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(
      error.code === "ENOENT" ? `${file} does not exist.` : `${file} could not be read (${error.code ?? "unknown"}).`,
    );
  });
  const text = decodeUtf8(bytes);
  if (text.kind === "text") return text.text;
  throw invalidRequest(`${file} ${text.kind === "unreadable" ? text.reason : "does not exist"}.`);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw invalidRequest(`${file} is not valid JSON${position === undefined ? "" : ` (at character ${position})`}.`);
  }
}

function invalidRequest(message: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, {
    hint: "A catalog is [{server, name, description, inputSchema, tags?}], queries are [{query, relevant: [{server, name, grade?}]}], unanswerable queries are [{query}].",
  });
}
