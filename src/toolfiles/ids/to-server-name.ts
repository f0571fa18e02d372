import { isServerName, MAX_SERVER_NAME_LENGTH } from "./server-name.js";

const FALLBACK = "server";

/** Words that are skipped, because they are common in the names of servers. */
const GENERIC = new Set(
  "mcp server servers modelcontextprotocol api www app gateway remote proxy sse http https stdio streamable npm node py js ts mjs cjs index main cli dist build src bin lib latest start run cmd exe release debug target out v1 v2 v3".split(
    " ",
  ),
);

/** Programs that start other programs, such as `npx`, and their sub-commands. */
const RUNNERS = new Set(
  "npx npm bunx pnpm pnpx yarn dlx exec x run tool install uv uvx pipx node bun deno tsx ts-node python python3 py docker podman env sh bash zsh cmd cmd.exe powershell pwsh java go ruby php dotnet cargo".split(
    " ",
  ),
);

/** Options of these runners (`RUNNERS`) whose value does not identify the server. */
const VALUED = new Set(
  "-e --env --env-file -v --volume --mount --network --name --user -u -w --workdir -c --python --registry --platform".split(
    " ",
  ),
);

/** Domains of hosting providers. The label before them identifies the customer. */
const HOSTING = new Set(
  "workers.dev vercel.app netlify.app onrender.com fly.dev herokuapp.com railway.app ngrok.io ngrok.app ngrok-free.app azurewebsites.net run.app pages.dev github.io modal.run hf.space".split(
    " ",
  ),
);

/**
 * Derives a short server name from a URL, a command line or the words of a command line. The result is always valid.
 */
export function serverNameOfId(urlOrCommand: string | readonly string[]): string {
  const words = typeof urlOrCommand === "string" ? urlOrCommand.trim().split(/\s+/) : urlOrCommand;
  const [first = ""] = words;
  const guess = isAddress(first) ? ofAddress(first) : ofCommand(words);
  return isServerName(guess) ? guess : FALLBACK;
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word) && URL.canParse(word);
}

function ofAddress(address: string): string | undefined {
  const { hostname, pathname } = new URL(address);
  const fromPath = () => firstName(pathname.split("/"));
  if (/^[\d.]+$|^\[|^localhost$/i.test(hostname)) return fromPath();
  const labels = hostname.toLowerCase().split(".");
  const isHosted = HOSTING.has(labels.slice(-2).join("."));
  const parts = isHosted ? labels.slice(0, -2) : withoutEnding(labels).reverse();
  return firstName(parts) ?? fromPath();
}

/** Removes a domain ending such as `com` or `co.uk`. */
function withoutEnding(labels: readonly string[]): string[] {
  const [last = "", previous = ""] = labels.toReversed();
  const isDouble = labels.length > 2 && last.length === 2 && /^(co|com|org|net|gov|ac|edu)$/.test(previous);
  return labels.length === 1 ? [...labels] : labels.slice(0, isDouble ? -2 : -1);
}

function ofCommand(words: readonly string[]): string | undefined {
  let isValue = false;
  for (const [index, word] of words.entries()) {
    const isSkipped = isValue || isRunner(word, index) || word.startsWith("-");
    isValue = !isValue && VALUED.has(word);
    if (isSkipped) continue;
    const name = isAddress(word) ? ofAddress(word) : ofPackage(word);
    if (name !== undefined) return name;
  }
  return undefined;
}

function isRunner(word: string, index: number): boolean {
  const program = index === 0 ? (word.split(/[\\/]/).at(-1) ?? word) : word;
  return RUNNERS.has(program.toLowerCase().replace(/\.(exe|cmd)$/, "")) || /^python[\d.]+$/.test(program);
}

/** The last part of a package, image, module or path that is not a generic word. */
function ofPackage(word: string): string | undefined {
  const withoutVersion = word.replace(/(?<=.)(@|==|>=|~=|:)[^/\\]*$/, "");
  return firstName(withoutVersion.split(/[\\/]/).reverse());
}

function firstName(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    const words = part.toLowerCase().split(/[^a-z0-9]+/);
    const name = words.filter((word) => word !== "" && !GENERIC.has(word)).join("-");
    if (name !== "") return name.slice(0, MAX_SERVER_NAME_LENGTH).replace(/-+$/, "");
  }
  return undefined;
}
