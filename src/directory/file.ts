import { z } from "zod";
import type { DirectoryEntry } from "./entry.js";

const input = z.object({
  name: z.string(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

const argument = z.object({
  value: z.string(),
  isPlaceholder: z.boolean().optional(),
});

const tool = z.object({
  name: z.string(),
  words: z.string(),
});

const entry = z.object({
  name: z.string(),
  registryName: z.string().optional(),
  title: z.string().optional(),
  description: z.string(),
  keywords: z.string().optional(),
  package: z
    .object({
      registry: z.enum(["npm", "pypi", "oci"]),
      identifier: z.string(),
      version: z.string().optional(),
      integrity: z.string().optional(),
    })
    .optional(),
  transport: z.enum(["stdio", "streamable-http", "sse"]),
  arguments: z.array(argument),
  variables: z.array(input),
  remote: z.object({ url: z.string(), headers: z.array(input) }).optional(),
  homepage: z.string().optional(),
  tools: z.array(tool),
});

export const DIRECTORY_VERSION = 1;

/** The directory file: JSON, compressed with gzip. */
export const directoryFile = z.object({
  version: z.literal(DIRECTORY_VERSION),
  /** The date on which the file was generated. */
  made: z.string(),
  servers: z.array(entry satisfies z.ZodType<DirectoryEntry>),
});
