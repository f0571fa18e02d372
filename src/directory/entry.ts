import { z } from "zod";

/** A value that a server takes from the user: an environment variable or an HTTP header. */
const input = z.object({
  name: z.string(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

const argument = z.object({
  value: z.string(),
  /** The user has to replace the value: it is a path, an address or a credential of theirs. */
  isPlaceholder: z.boolean().optional(),
});

const tool = z.object({
  name: z.string(),
  /** Content words of the tool's description, for retrieval only. */
  words: z.string(),
});

const entry = z.object({
  /** The name of the server's package, or its name in the MCP registry where it has no package of a known kind. */
  name: z.string(),
  /** Its name in the MCP registry, where that is another one. */
  registryName: z.string().optional(),
  title: z.string().optional(),
  description: z.string(),
  /** Words under which the publisher lists the package, for retrieval only. */
  keywords: z.string().optional(),
  package: z
    .object({
      registry: z.enum(["npm", "pypi", "oci"]),
      identifier: z.string(),
      version: z.string().optional(),
      /** Subresource Integrity of the package's tarball, as the package registry states it. */
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
  /** The day on which the file was made. */
  made: z.string(),
  servers: z.array(entry),
});

export type DirectoryFile = z.output<typeof directoryFile>;
export type DirectoryEntry = z.output<typeof entry>;
export type DirectoryTool = z.output<typeof tool>;
export type DirectoryInput = z.output<typeof input>;
export type DirectoryArgument = z.output<typeof argument>;
