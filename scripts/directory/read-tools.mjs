// Tools that a package declares in its source or lists in its README: the fallback for servers that do not start without an account.
const MAX_SOURCE = 6 * 1024 * 1024;
const TOOL_NAME = /^[a-zA-Z][\w.-]{1,63}$/;
const TEXT = String.raw`(?:"((?:[^"\\\n]|\\.){0,3000})"|'((?:[^'\\\n]|\\.){0,3000})'|${"`"}([^${"`"}]{0,3000})${"`"})`;
/** `server.tool("name", "description", …)`, and `registerTool("name", { title: "…", description: "…" })`. */
const CALL = new RegExp(
  String.raw`\.(?:tool|registerTool|addTool)\(\s*["'${"`"}]([\w.-]{2,64})["'${"`"}]\s*,\s*(?:\{\s*(?:title\s*:\s*${TEXT}\s*,\s*)?description\s*:\s*)?${TEXT}`,
  "g",
);
/** `{ name: "name", description: "…", inputSchema: … }`. */
const LITERAL = new RegExp(
  String.raw`\bname\s*:\s*["'${"`"}]([\w.-]{2,64})["'${"`"}]\s*,\s*(?:title\s*:\s*${TEXT}\s*,\s*)?description\s*:\s*${TEXT}`,
  "g",
);
const SCHEMA_NEAR = /\b(?:inputSchema|parameters|paramsSchema|input_schema|schema)\b/;
const NEAR = 1200;

export function toolsInSource(files) {
  const tools = new Map();
  for (const [path, text] of files) {
    if (!/\.[cm]?js$/.test(path) || text.length > MAX_SOURCE) continue;
    for (const match of text.matchAll(CALL)) addTool(tools, match[1], lastText(match));
    for (const match of text.matchAll(LITERAL)) {
      const end = match.index + match[0].length;
      if (SCHEMA_NEAR.test(text.slice(end, end + NEAR))) addTool(tools, match[1], lastText(match));
    }
  }
  return [...tools].map(([name, description]) => ({ name, description }));
}

function addTool(tools, name, description) {
  if (TOOL_NAME.test(name) && !tools.has(name) && description.length > 3) tools.set(name, description);
}

function lastText(match) {
  const texts = match.slice(2).filter((text) => text !== undefined);
  return (texts.at(-1) ?? "").replace(/\\n/g, " ").replace(/\\(.)/g, "$1");
}

const HEADING = /^#{1,4}\s+(.*)$/;
const LISTED =
  /^\s*(?:[-*+]|\d+\.|\|)?\s*(?:\*\*)?`([a-z][a-zA-Z0-9_.-]{2,63})(?:\([^)`]*\))?`(?:\*\*)?\s*(?:[:|–—-]+\s*)?(.*)$/;
const BOLD = /^\s*(?:[-*+]|\d+\.|\|)\s*\*\*([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)\*\*\s*(?:[:|–—-]+\s*)?(.*)$/;
const TITLED = /^#{2,5}\s+(?:\d+\.\s*)?`?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)`?\s*$/;

/** Names that the README's sections about tools list, with the rest of the line. */
export function toolsInReadme(readme) {
  const tools = new Map();
  let isAboutTools = false;
  for (const line of readme.split("\n").slice(0, 3000)) {
    const titled = TITLED.exec(line);
    const heading = titled === null ? HEADING.exec(line)?.[1] : undefined;
    if (heading !== undefined && /^#{1,2}\s/.test(line)) isAboutTools = false;
    if (heading !== undefined && /\b(?:tools?|functions|capabilities|operations|commands)\b/i.test(heading))
      isAboutTools = true;
    if (heading !== undefined && /install|config|environment|setup|develop|licen/i.test(heading)) isAboutTools = false;
    const match = isAboutTools ? (titled ?? LISTED.exec(line) ?? BOLD.exec(line)) : null;
    if (match !== null && !tools.has(match[1])) tools.set(match[1], (match[2] ?? "").replace(/[|*`]/g, " ").trim());
  }
  return [...tools].map(([name, description]) => ({ name, description }));
}
