// Splits a tool into the six texts that the model reads. The gateway must split tools in exactly the same way.

const FIRST = /^[\s\S]{10,300}?(?:[.!?](?=\s|$)|[。！？])/u;
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

export const FIELDS = ["name", "server", "first", "rest", "params", "paramTexts"];

/** Words of an identifier: "createPullRequest" and "create_pull_request" both become "create pull request". */
export function toWords(identifier, joins) {
  const words = String(identifier ?? "")
    .slice(0, 200)
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => part.split(CAMEL))
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
  const joined = [];
  for (let i = 0; i < words.length; i++) {
    const pair = i + 1 < words.length ? `${words[i]} ${words[i + 1]}` : "";
    if (joins?.has(pair)) {
      joined.push(words[i] + words[i + 1]);
      i++;
    } else joined.push(words[i]);
  }
  return joined.join(" ");
}

/** Splits camel-case identifiers inside a text like names; other words stay unchanged. */
export function toText(text, joins) {
  return String(text ?? "")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/(?<![\p{L}\p{N}])\p{Ll}[\p{Ll}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu, (word) => toWords(word, joins));
}

/** Parts of a server's name that do not say what it does. */
const EMPTY = new Set(["mcp", "server", "servers", "cf", "com", "io", "ai", "dev", "app"]);

export function toServer(server, joins) {
  const words = toWords(server, joins).split(" ");
  return words.filter((word) => !EMPTY.has(word) && !/^\d+$/u.test(word)).join(" ");
}

export function toFields(tool, joins) {
  const description = toText(tool.description, joins).slice(0, 1000);
  const first = FIRST.exec(description)?.[0] ?? description.slice(0, 300);
  const properties = Object.entries(tool.inputSchema?.properties ?? {}).slice(0, 16);
  return {
    name: toWords(tool.name, joins),
    server: toServer(tool.server, joins),
    first,
    rest: description.slice(first.length, first.length + 600).trim(),
    params: properties.map(([name]) => toWords(name, joins)).join(" "),
    paramTexts: properties
      .map(([, schema]) => toText(schema?.description, joins).slice(0, 100))
      .filter((text) => text !== "")
      .join(" ")
      .slice(0, 600),
  };
}
