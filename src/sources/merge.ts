import type { ServerDefinition } from "../model/server.js";
import { canonicalJson } from "../util/canonical-json.js";
import { isGatewayItself } from "./itself.js";

const LONGEST_NAME = 64;

/** Makes names unique, ignoring case: the first wins, another is kept as `name-2` only if it connects elsewhere. */
export function mergeServers(groups: readonly (readonly ServerDefinition[])[]): {
  readonly servers: readonly ServerDefinition[];
  readonly notices: readonly string[];
} {
  const taken = new Map<string, ServerDefinition>();
  const notices: string[] = [];

  function add(server: ServerDefinition): void {
    const { name, origin } = server;
    if (isGatewayItself(server.connection)) {
      notices.push(`The server "${name}" of ${origin} is this gateway itself and was left out.`);
      return;
    }
    const first = taken.get(identity(name));
    if (first === undefined) {
      taken.set(identity(name), server);
      return;
    }
    const twin = [...twinsOf(name)].find((candidate) => sameConnection(candidate, server));
    if (twin !== undefined) {
      notices.push(
        `The server "${name}" of ${origin} is the same as "${twin.name}" of ${twin.origin} and was left out.`,
      );
      return;
    }
    const free = freeName(name);
    taken.set(identity(free), { ...server, name: free });
    notices.push(
      `The server "${name}" of ${origin} was renamed to "${free}": "${first.name}" of ${first.origin} has that name.`,
    );
  }

  function* twinsOf(name: string): Iterable<ServerDefinition> {
    for (let number = 1; ; number += 1) {
      const server = taken.get(identity(numbered(name, number)));
      if (server === undefined) return;
      yield server;
    }
  }

  function freeName(name: string): string {
    let number = 2;
    while (taken.has(identity(numbered(name, number)))) number += 1;
    return numbered(name, number);
  }

  for (const server of groups.flat()) add(server);
  return { servers: [...taken.values()], notices };
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const suffix = `-${number}`;
  return `${name.slice(0, LONGEST_NAME - suffix.length)}${suffix}`;
}

function identity(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function sameConnection(a: ServerDefinition, b: ServerDefinition): boolean {
  return canonicalJson(a.connection) === canonicalJson(b.connection);
}
