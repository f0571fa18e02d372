import type { AdapterFacts, OperationFacts, RestAuth, ServerDefinition } from "../model/server.js";
import { absolutePath } from "../util/home-path.js";
import type { AdapterEntry } from "./options.js";

export interface Places {
  readonly home: string;
  /** The folder that relative paths in the entry start from. */
  readonly baseDir: string;
  /** The file that the entry was written in, or `inline`. */
  readonly origin: string;
}

/** An adapter as a person wrote it → a server like any other. */
export function compileAdapter(entry: AdapterEntry, places: Places): ServerDefinition {
  const { name, title, description, baseUrl, headers, auth, idempotencyHeader } = entry;
  const said = description ?? title;
  return {
    name,
    ...(said === undefined ? {} : { description: said }),
    connection: {
      kind: "rest",
      document: isRemote(entry.document) ? entry.document : absolutePath(entry.document, places),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      headers,
      ...(auth === undefined ? {} : { auth: compileAuth(auth) }),
      ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
      uploads: entry.uploads.map((folder) => absolutePath(folder, places)),
      operations: entry.operations.map(compileFacts),
    },
    manifest: [],
    facts: compileAdapterFacts(entry),
    origin: places.origin,
  };
}

/** What a variable stands for is not known before it is used: then it counts as written. */
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
