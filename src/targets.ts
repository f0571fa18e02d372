// Names of servers come in, what to open a connection with goes out: as the configuration in force has it.
import type { Snapshot } from "./catalog/snapshot.js";
import { resolveConnection, type Variables } from "./config/variables.js";
import { DiscoveryError } from "./errors.js";
import type { Connection, ServerDefinition } from "./model/server.js";
import type { Tool } from "./model/tool.js";
import type { CompiledRules } from "./rules/compile.js";
import { decide } from "./rules/decide.js";
import { explain } from "./rules/explain.js";
import { findSecrets } from "./sources/rewrite/secrets.js";
import type { UpstreamTarget } from "./upstreams/types.js";

export function createTargets(
  servers: readonly ServerDefinition[],
  variables: Variables,
  snapshot: () => Snapshot,
): (server: string) => UpstreamTarget {
  const byName = new Map(servers.map((server) => [server.name, server]));
  return (name) => {
    const definition = byName.get(name);
    if (definition === undefined) {
      throw new DiscoveryError("SERVER_NOT_FOUND", `The server "${name}" is not configured any more.`, {
        server: name,
        hint: "list_mcp_servers names all servers.",
      });
    }
    const era = snapshot().servers.get(name)?.record?.era;
    return {
      name,
      connection(noteSecret) {
        const connection = resolveConnection(definition.connection, variables, noteSecret);
        for (const secret of writtenSecrets(connection, name)) {
          variables.note(secret);
          noteSecret?.(secret);
        }
        return connection;
      },
      ...(era === undefined ? {} : { eraHint: era }),
    };
  };
}

/** What looks like a secret though no variable holds it; of an address also its parts, as they are without escapes. */
function writtenSecrets(connection: Connection, server: string): string[] {
  return findSecrets(connection, server).flatMap(({ value }) => {
    const password = /^[a-z][\w+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value)?.[1];
    return [value, ...(password === undefined ? [] : [password])].flatMap((text) => [text, withoutEscapes(text)]);
  });
}

function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A rule that came while a call waited for its turn holds for that call too. */
export function assertEnabled(tool: Tool, rules: CompiledRules): void {
  const decision = decide(rules, tool);
  if (decision.enabled) return;
  throw new DiscoveryError("TOOL_DISABLED", `${tool.id} is disabled: ${explain(rules, decision)}.`, {
    hint: "The configuration changed while the call waited. Choose another tool.",
  });
}
