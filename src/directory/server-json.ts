// Converts responses from an MCP registry (`GET /v0/servers`, schema 2025-12-11) to directory entries.
import { z } from "zod";
import { toOneLine } from "../util/text.js";
import type { DirectoryArgument, DirectoryEntry, DirectoryInput } from "./entry.js";

/** Text that is printed and put into a command. A line break in it could fake other output. */
const oneLine = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u);

const keyValue = z.object({
  // The name is used in `--env NAME` and `--header 'NAME: …'`.
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z_][\w.-]*$/u),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

const argument = z.object({
  type: z.string(),
  name: oneLine(200).optional(),
  value: oneLine(1000).optional(),
  valueHint: oneLine(200).optional(),
  default: oneLine(1000).optional(),
});

const transport = z.object({
  type: z.string(),
  url: oneLine(2000).optional(),
  headers: z.array(keyValue).max(50).optional(),
});

const registryPackage = z.object({
  registryType: z.string(),
  identifier: oneLine(500).regex(/^[^\s-]\S*$/u),
  version: oneLine(255).optional(),
  transport,
  packageArguments: z.array(argument).max(50).optional(),
  environmentVariables: z.array(keyValue).max(100).optional(),
});

const server = z.object({
  name: oneLine(200),
  title: oneLine(200).optional(),
  description: z.string().max(2000).transform(toOneLine),
  websiteUrl: oneLine(2000).optional(),
  repository: z.object({ url: oneLine(2000).optional() }).optional(),
  packages: z.array(registryPackage).max(50).optional(),
  remotes: z.array(transport).max(20).optional(),
});

const OFFICIAL = "io.modelcontextprotocol.registry/official";

const listed = z.object({
  server,
  _meta: z
    .object({ [OFFICIAL]: z.object({ status: z.string().optional(), isLatest: z.boolean().optional() }).optional() })
    .optional(),
});

export const serverList = z.object({
  servers: z.array(z.unknown()).max(1000),
  metadata: z.object({ nextCursor: z.string().nullish() }).optional(),
});

type RegistryServer = z.output<typeof server>;
type RegistryPackage = z.output<typeof registryPackage>;
type Transport = DirectoryEntry["transport"];

/**
 * The entry for one server in the response. Undefined if it is malformed, withdrawn, outdated or of an unsupported
 * kind.
 */
export function toDirectoryEntry(item: unknown): DirectoryEntry | undefined {
  const parsed = listed.safeParse(item);
  if (!parsed.success) return undefined;
  const official = parsed.data._meta?.[OFFICIAL];
  if (official?.isLatest === false || (official?.status ?? "active") !== "active") return undefined;
  const { name, title, description, packages = [] } = parsed.data.server;
  const known = packages.find(isRunnable);
  const remote = toRemote(parsed.data.server);
  if (known === undefined && remote === undefined) return undefined;
  const homepage = parsed.data.server.websiteUrl ?? parsed.data.server.repository?.url;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    ...(known === undefined ? {} : { package: toPackage(known) }),
    transport: known === undefined ? (remote?.transport ?? "streamable-http") : "stdio",
    arguments: (known?.packageArguments ?? []).flatMap(toArguments),
    variables: (known?.environmentVariables ?? []).map(toInput),
    ...(remote === undefined ? {} : { remote: { url: remote.url, headers: remote.headers } }),
    ...(homepage === undefined ? {} : { homepage }),
    tools: [],
  };
}

const REGISTRIES = { npm: "npm", pypi: "pypi", oci: "oci" } as const;

function isRunnable({ registryType, transport: { type } }: RegistryPackage): boolean {
  return Object.hasOwn(REGISTRIES, registryType) && type === "stdio";
}

function toPackage({ registryType, identifier, version }: RegistryPackage): NonNullable<DirectoryEntry["package"]> {
  const registry = registryType === "pypi" ? "pypi" : registryType === "oci" ? "oci" : "npm";
  return { registry, identifier, ...(version === undefined ? {} : { version }) };
}

function toRemote({ remotes = [] }: RegistryServer) {
  const found = remotes.find(({ type, url }) => (type === "streamable-http" || type === "sse") && url !== undefined);
  if (found?.url === undefined || !found.url.startsWith("https://")) return undefined;
  const kind: Transport = found.type === "sse" ? "sse" : "streamable-http";
  return { url: found.url, transport: kind, headers: (found.headers ?? []).map(toInput) };
}

function toInput({ name, isRequired, isSecret }: z.output<typeof keyValue>): DirectoryInput {
  return { name, ...(isRequired === true ? { isRequired } : {}), ...(isSecret === true ? { isSecret } : {}) };
}

function toArguments({
  type,
  name,
  value,
  valueHint,
  default: fallback,
}: z.output<typeof argument>): DirectoryArgument[] {
  const preset = value ?? fallback;
  const part: DirectoryArgument =
    preset === undefined || /\{[^}]*\}/u.test(preset)
      ? { value: preset ?? `<${valueHint ?? name ?? "value"}>`, isPlaceholder: true }
      : { value: preset };
  return type === "named" && name !== undefined ? [{ value: name }, part] : [part];
}
