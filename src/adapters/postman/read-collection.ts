// Reads the requests of a Postman collection as operations. Folders become categories, and variables without a value
// become arguments.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { DescribedOperation, ReadDocument, ReadOperation, WantedAuth } from "../described.js";
import { toKebab } from "../names.js";
import { attempt } from "../refuse.js";
import { toPlainLine, toPlainText } from "../text.js";
import { type PostmanAddress, readAddress } from "./address.js";
import { textOf } from "./body.js";
import { readRequest } from "./read-request.js";
import { collectionOf } from "./is-collection.js";
import { type FoundRequest, walkRequests } from "./walk.js";

const MAX_REQUESTS = 25_000;

interface Located {
  readonly found: FoundRequest;
  readonly address: PostmanAddress | undefined;
}

export function readCollection(root: JsonObject, configuredBase: string | undefined): ReadDocument {
  const collection = collectionOf(root);
  const info = isJsonObject(collection["info"]) ? collection["info"] : {};
  const located: Located[] = [];
  for (const found of walkRequests(collection)) {
    if (located.length >= MAX_REQUESTS) break;
    const { request, values } = found;
    located.push({ found, address: readAddress(typeof request === "string" ? request : request["url"], values) });
  }
  const base = mostFrequent(located.flatMap(({ address }) => (address === undefined ? [] : [address.base])));
  const title = toPlainLine(info["name"], 200);
  const version = typeof info["version"] === "string" ? toPlainLine(info["version"], 60) : undefined;
  const description = toPlainText(textOf(info["description"]), 2_000);
  return {
    api: {
      ...(title === undefined ? {} : { title }),
      ...(version === undefined ? {} : { version }),
      ...(description === undefined ? {} : { description }),
      ...(base === undefined || !isWebAddress(base) ? {} : { baseUrl: base }),
      auth: authMethodsOf(located),
    },
    operations: readOperations(located, { base, configuredBase }),
  };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && !text.includes("{{") && URL.canParse(text);
}

function mostFrequent(bases: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const base of bases) counts.set(base, (counts.get(base) ?? 0) + 1);
  const [first] = [...counts].sort(([left, few], [right, many]) => many - few || (left < right ? -1 : 1));
  return first?.[0];
}

/** The distinct authentication methods of the requests, the most frequent first. */
function authMethodsOf(located: readonly Located[]): WantedAuth[] {
  const methods = new Map<string, { auth: WantedAuth; count: number }>();
  for (const { found } of located) {
    const { auth } = found;
    if (auth === undefined || auth.kind === "open") continue;
    const key = JSON.stringify(auth);
    methods.set(key, { auth, count: (methods.get(key)?.count ?? 0) + 1 });
  }
  return [...methods.values()].sort((left, right) => right.count - left.count).map(({ auth }) => auth);
}

interface Bases {
  /** The most frequent base URL of the requests. */
  readonly base: string | undefined;
  readonly configuredBase: string | undefined;
}

function* readOperations(located: readonly Located[], bases: Bases): Iterable<ReadOperation> {
  for (const { found, address } of located) {
    const name = [...found.folders, found.name].join(" / ");
    if (address === undefined) {
      yield { kind: "refused", name, reason: "has no URL" };
      continue;
    }
    const operation = attempt(() => toOperation(found, address, bases));
    if ("refusal" in operation) yield { kind: "refused", name, reason: operation.refusal };
    else yield { kind: "operation", operation };
  }
}

function toOperation(
  found: FoundRequest,
  address: PostmanAddress,
  { base, configuredBase }: Bases,
): DescribedOperation {
  const request = readRequest(found, address, configuredBase);
  const category = toPlainLine(found.folders.at(-1), 80);
  const isOtherBase = address.base !== base && address.base !== configuredBase?.replace(/\/+$/, "");
  return {
    ...request,
    key: JSON.stringify([...found.folders, found.name, request.method, address.base, request.path]),
    id: nameOf(found),
    isDeprecated: false,
    isOpen: found.auth?.kind === "open",
    ...(category === undefined ? {} : { category }),
    ...(isOtherBase && isWebAddress(address.base) ? { serverUrl: address.base } : {}),
  };
}

/**
 * Names a request. The folder is added unless the name already contains a word of it: `Create` in the folder `Users`
 * becomes `users-create`, `Create user` becomes `create-user`.
 */
function nameOf({ name, folders }: FoundRequest): string {
  const own = toKebab(name).split("-");
  const folder = toKebab(folders.at(-1) ?? "").split("-");
  const stems = new Set(own.map(stem));
  const isNamed = folder.some((word) => word !== "" && stems.has(stem(word)));
  return (isNamed ? own : [...folder, ...own]).filter((word) => word !== "").join("-");
}

function stem(word: string): string {
  return word.replace(/(?:ies|y)$/, "i").replace(/(?:es|s|e)$/, "");
}
