// Converts the collected data of a package into a directory entry: facts, names, the package's one-line description and lists of words.
import { isPlaceholder } from "./placeholders.mjs";
import { isServerVariable } from "./readme.mjs";

const PERMISSIVE = /^\(?(?:MIT(?:-0)?|Apache-2\.0|ISC|0BSD|BSD-[23]-Clause|CC0-1\.0|Unlicense)\b(?!.*(?:AND|WITH))/i;
const PERMISSIVE_TEXT = /\bMIT License\b|Apache License|Permission is hereby granted, free of charge/i;
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|_PAT$|DSN|WEBHOOK|CONNECTION_STRING|DATABASE_UR[LI]|MONGO.*UR[LI]/;
const MAX_DESCRIPTION_LENGTH = 200;
const MAX_VARIABLES = 10;
const MAX_KEYWORDS = 16;
const WORDS_OF_README = 40;
/** A secret counts as required if at least this share of a README's configurations contains it. */
const REQUIRED_SHARE = 0.5;
/** A variable in less than this share of the configurations is regarded as specific to one user's machine. */
const MIN_SHARE = 0.2;
const GENERIC_KEYWORDS =
  /^(?:mcp.*|model.?context.?protocol|ai|llm|claude.*|anthropic|cursor|server|api|typescript|javascript|nodejs|node|cli|tools?|agents?|.*assistants?)$/i;

/** `{ facts, license, readme, args, variables, inSource, inReadme, live? }` → an entry. If no tool is known, the entry contains words of the README instead. */
export function toEntry(record, toContentWords) {
  const { facts, variables, live } = record;
  const args = live?.args ?? record.args;
  const isOpen = isPermissive(record);
  const tools = pickTools(record).map(({ name, description = "" }) => ({
    name,
    words: isOpen ? toContentWords(description) : "",
  }));
  const title = live?.info?.title;
  const homepage = toHomepage(facts);
  const spare = tools.length === 0 ? ` ${toContentWords(withoutMarkup(record.readme), WORDS_OF_README)}` : "";
  const keywords = isOpen ? `${toKeywords(facts.keywords, toContentWords)}${spare}`.trim() : "";
  return {
    name: facts.name,
    ...(typeof facts.mcpName === "string" ? { registryName: facts.mcpName } : {}),
    ...(typeof title === "string" && title !== facts.name ? { title: title.slice(0, 80) } : {}),
    description: isOpen ? toSentence(facts.description ?? "") : "",
    ...(keywords === "" ? {} : { keywords }),
    package: { registry: "npm", identifier: facts.name, version: facts.version, integrity: facts.dist.integrity },
    transport: "stdio",
    arguments: args.map((value) => ({ value, ...(isPlaceholder(value) ? { isPlaceholder: true } : {}) })),
    variables: toVariables(variables, live?.demanded ?? []),
    ...(homepage === undefined ? {} : { homepage }),
    tools,
  };
}

export function isPermissive({ facts, license, readme }) {
  const stated = typeof facts.license === "string" ? facts.license : (facts.license?.type ?? "");
  return (
    PERMISSIVE.test(stated) || (/^(?:SEE LICEN[CS]E.*)?$/i.test(stated) && PERMISSIVE_TEXT.test(`${license} ${readme}`))
  );
}

/** Uses the tool list of the running server, otherwise the tools that its source declares, otherwise those that its README lists. */
function pickTools({ live, inSource, inReadme }) {
  if (live?.tools?.length > 0) return live.tools;
  if (inSource.length > 0) return inSource;
  const hasSeparators = inReadme.filter(({ name }) => /[_-]|[a-z][A-Z]/.test(name));
  return hasSeparators.length > 0 ? hasSeparators : inReadme;
}

function toVariables(inReadme, demanded) {
  const shares = new Map(inReadme.map(({ name, share }) => [name, share]));
  const usual = [...shares].flatMap(([name, share]) => (share >= MIN_SHARE ? [name] : []));
  const names = [...new Set([...demanded, ...usual])].filter(isServerVariable);
  return names
    .map((name) => {
      const isSecret = SECRET.test(name);
      const isRequired = demanded.includes(name) || (isSecret && (shares.get(name) ?? 0) >= REQUIRED_SHARE);
      return { name, ...(isRequired ? { isRequired } : {}), ...(isSecret ? { isSecret } : {}) };
    })
    .slice(0, MAX_VARIABLES);
}

function toSentence(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  const first = /^.{20,}?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain;
  return first.length <= MAX_DESCRIPTION_LENGTH
    ? first
    : `${first.slice(0, MAX_DESCRIPTION_LENGTH - 1).replace(/\s\S*$/, "")}…`;
}

function toKeywords(keywords, toContentWords) {
  const list = Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [];
  return toContentWords(list.filter((word) => !GENERIC_KEYWORDS.test(word)).join(" "), MAX_KEYWORDS);
}

function toHomepage({ homepage, repository }) {
  const address = typeof homepage === "string" && homepage !== "" ? homepage : (repository?.url ?? repository);
  if (typeof address !== "string") return undefined;
  const web = address
    .replace(/^git\+/, "")
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/^github:/, "https://github.com/")
    .replace(/\.git(?=#|$)/, "");
  return web.startsWith("https://") ? web : undefined;
}

function withoutMarkup(readme) {
  return readme
    .replace(/```[\s\S]*?```/g, " ")
    .replace(/<[^>]*>|!?\[([^\]]*)\]\([^)]*\)/g, " $1 ")
    .replace(/https?:\S+/g, " ");
}
