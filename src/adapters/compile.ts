import type { AdapterFacts, OperationFacts, RestAuth, ServerDefinition } from "../model/server.js";
import { absolutePath } from "../util/home-path.js";
import type { AdapterEntry } from "./options.js";

export interface AdapterPaths {
  readonly home: string;
  /** The folder against which relative paths in the entry are resolved. */
  readonly baseDir: string;
  /** Where the entry comes from: the path of a configuration file, or `inline`. */
  readonly origin: string;
}

/** Converts an entry of the configuration section `adapters` to a server definition. */
export function compileAdapter(entry: AdapterEntry, paths: AdapterPaths): ServerDefinition {
  const { name, title, description, baseUrl, headers, auth, idempotencyHeader } = entry;
  const text = description ?? title;
  return {
    name,
    ...(text === undefined ? {} : { description: text }),
    connection: {
      kind: "rest",
      document: isRemote(entry.document) ? entry.document : absolutePath(entry.document, paths),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      headers,
      ...(auth === undefined ? {} : { auth: compileAuth(auth) }),
      ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
      uploads: entry.uploads.map((folder) => absolutePath(folder, paths)),
      operations: entry.operations.map(compileFacts),
    },
    manifest: [],
    facts: compileAdapterFacts(entry),
    origin: paths.origin,
  };
}

/**
 * Whether the document path is a URL. A path that starts with a variable counts as remote, because the variable's value
 * is not known before it is used.
 */
export function isRemote(document: string): boolean {
  return /^https?:\/\//i.test(document) || document.startsWith("${");
}

function compileAuth(auth: NonNullable<AdapterEntry["auth"]>): RestAuth {
  switch (auth.type) {
    case "bearer":
      return { kind: "bearer", token: auth.token };
    case "basic":
      return { kind: "basic", username: auth.username, password: auth.password };
    case "apiKey":
      return { kind: "api-key", in: auth.in, name: auth.name, value: auth.value };
    case "oauth2": {
      const { type: _type, ...credentials } = auth;
      return { kind: "client-credentials", ...credentials };
    }
  }
}

function compileFacts({
  tools,
  risk,
  idempotent,
  reversible,
  category,
}: AdapterEntry["operations"][number]): OperationFacts {
  return {
    tools,
    ...(risk === undefined ? {} : { risk }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(reversible === undefined ? {} : { reversible }),
    ...(category === undefined ? {} : { category }),
  };
}

function compileAdapterFacts(entry: AdapterEntry): AdapterFacts {
  const { title, category, capabilities, countries, currencies, documentation } = entry;
  return {
    ...(title === undefined ? {} : { title }),
    ...(category === undefined ? {} : { category }),
    capabilities,
    countries,
    currencies,
    ...(documentation === undefined ? {} : { documentation }),
  };
}
