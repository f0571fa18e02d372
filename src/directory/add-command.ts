import { shellLine } from "../util/command-line.js";
import type { DirectoryEntry, DirectoryInput } from "./entry.js";
import { toServerDraft } from "./server-draft.js";

/** The `anygpt mcp add` command with the server's command or URL; undefined if the entry has no version to pin. */
export function toAddCommand(entry: DirectoryEntry): string | undefined {
  const isPinned = entry.package === undefined ? entry.remote !== undefined : entry.package.version !== undefined;
  if (!isPinned) return undefined;
  const { name, connection, inputs, placeholders } = toServerDraft(entry);
  const needed = inputs.filter(({ isRequired }) => isRequired === true);
  const begin = ["anygpt", "mcp", "add", name];
  if (connection.kind === "stdio") {
    const env = needed.flatMap((input) => ["--env", input.name]);
    const args = connection.args.map((word, index) => {
      const example = placeholders.find((one) => one.index === index)?.example;
      return example ?? shellLine([word]);
    });
    return [shellLine([...begin, ...env, "--", connection.command]), ...args].join(" ");
  }
  const transport = connection.kind === "sse" ? ["--transport", "sse"] : [];
  const headers = needed.flatMap((input) => ["--header", `${input.name}: \${${toHeaderVariable(name, input)}}`]);
  return shellLine([...begin, connection.url, ...transport, ...headers]);
}

/** The name of the environment variable for the value of a header, such as `TRELLO_AUTHORIZATION`. */
export function toHeaderVariable(server: string, { name }: DirectoryInput): string {
  return `${server}_${name}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}
