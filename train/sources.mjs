// Converts public documents to tools of the form { server, name, description, inputSchema }. README.md lists origins and licenses.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { parse } from "yaml";

const json = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const plain = (html) =>
  String(html ?? "")
    .replace(/<[^>]*>/gu, " ")
    .replace(/&[a-z]+;/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
const properties = (entries) => ({ properties: Object.fromEntries(entries) });

export function readCorpus(data) {
  const folder = path.join(data, "corpus");
  return fs
    .readdirSync(folder)
    .sort()
    .flatMap((file) => json(path.join(folder, file)));
}

const METHODS = ["get", "post", "put", "patch", "delete"];

export function readOpenApi(data) {
  const root = path.join(data, "openapi");
  const files = fs.readdirSync(root, { recursive: true }).filter((file) => /\.(json|ya?ml)$/u.test(file));
  return files.sort().flatMap((file) => {
    const document = parse(fs.readFileSync(path.join(root, file), "utf8"), { maxAliasCount: -1 });
    const server = String(document.info?.title ?? file);
    return Object.entries(document.paths ?? {}).flatMap(([route, item]) =>
      METHODS.filter((method) => item[method]?.operationId).map((method) => {
        const operation = item[method];
        const parameters = (operation.parameters ?? []).filter((parameter) => parameter.name);
        return {
          server,
          name: operation.operationId,
          summary: plain(operation.summary),
          route: route.replace(/[{}/]+/gu, " ").trim(),
          description: plain(operation.description ?? operation.summary),
          inputSchema: properties(parameters.map((p) => [p.name, { description: plain(p.description) }])),
        };
      }),
    );
  });
}

/** AWS service models, one operation each; `folder` is an unpacked wheel of botocore. */
export function readBotocore(folder) {
  const root = path.join(folder, "botocore/data");
  const services = fs.readdirSync(root).filter((name) => fs.statSync(path.join(root, name)).isDirectory());
  return services.sort().flatMap((name) => {
    const version = fs.readdirSync(path.join(root, name)).sort().at(-1);
    const file = path.join(root, name, version, "service-2.json.gz");
    if (!fs.existsSync(file)) return [];
    const model = JSON.parse(zlib.gunzipSync(fs.readFileSync(file)).toString());
    return Object.values(model.operations).map((operation) => {
      const members = model.shapes[operation.input?.shape]?.members ?? {};
      const entries = Object.entries(members).map(([key, value]) => [key, { description: plain(value.documentation) }]);
      return {
        server: name,
        name: operation.name,
        description: plain(operation.documentation),
        inputSchema: properties(entries),
      };
    });
  });
}

/** Google's discovery documents, the newest version of each; `folder` is an unpacked wheel of google-api-python-client. */
export function readDiscovery(folder) {
  const root = path.join(folder, "googleapiclient/discovery_cache/documents");
  const newest = new Map(
    fs
      .readdirSync(root)
      .filter((file) => /^[\w-]+\.v\d+\.json$/u.test(file))
      .sort()
      .map((file) => [file.split(".")[0], file]),
  );
  return [...newest.values()].flatMap((file) => {
    const document = json(path.join(root, file));
    const methods = (resource) => [
      ...Object.values(resource.methods ?? {}),
      ...Object.values(resource.resources ?? {}).flatMap(methods),
    ];
    return methods(document).map((method) => ({
      server: document.title ?? document.name,
      name: method.id.split(".").slice(1).join("_"),
      description: plain(method.description),
      inputSchema: properties(
        Object.entries(method.parameters ?? {}).map(([key, value]) => [key, { description: plain(value.description) }]),
      ),
    }));
  });
}

/** WordNet's synsets: words, gloss and examples. */
export function readWordNet(folder) {
  return ["noun", "verb", "adj", "adv"].flatMap((kind) =>
    fs
      .readFileSync(path.join(folder, "dict", `data.${kind}`), "utf8")
      .split("\n")
      .filter((line) => /^\d{8} /u.test(line))
      .map((line) => {
        const [head, text] = line.split(" | ");
        const parts = head.split(" ");
        const count = Number.parseInt(parts[3], 16);
        const words = Array.from({ length: count }, (_, i) =>
          parts[4 + 2 * i].replace(/\(\w+\)$/u, "").replace(/_/gu, " "),
        );
        const [gloss, ...examples] = text.trim().split(/;\s*(?=")/u);
        return { words, gloss: gloss.trim(), examples: examples.map((example) => example.replace(/"/gu, "").trim()) };
      }),
  );
}

/** Texts in other languages with their English versions: [foreign, english, language]. */
export function readParallel({ typescript, emojibase, django }) {
  const twins = [];
  const enum1 = /"([A-Za-z0-9_]+_\d+)",\s*"((?:[^"\\]|\\.)*)"/gu;
  const english = new Map();
  for (const [, key, text] of fs.readFileSync(path.join(typescript, "lib/typescript.js"), "utf8").matchAll(enum1))
    english.set(key, text.replace(/\\(.)/gu, "$1"));
  for (const language of fs.readdirSync(path.join(typescript, "lib"))) {
    const file = path.join(typescript, "lib", language, "diagnosticMessages.generated.json");
    if (!fs.existsSync(file)) continue;
    for (const [key, text] of Object.entries(json(file)))
      if (english.has(key)) twins.push([text, english.get(key), language]);
  }
  const labels = new Map(json(path.join(emojibase, "en/data.json")).map((emoji) => [emoji.hexcode, emoji]));
  for (const language of fs.readdirSync(emojibase)) {
    const file = path.join(emojibase, language, "data.json");
    if (language.startsWith("en") || !fs.existsSync(file)) continue;
    for (const emoji of json(file)) {
      const twin = labels.get(emoji.hexcode);
      if (!twin || emoji.group === 9) continue;
      twins.push([emoji.label, twin.label, language]);
      if (emoji.tags?.length && twin.tags?.length) twins.push([emoji.tags.join(" "), twin.tags.join(" "), language]);
    }
  }
  const quoted = (block, key) => {
    const match = new RegExp(`^${key} ((?:".*"\\n?)+)`, "mu").exec(block);
    return match
      ? match[1]
          .replace(/"\n?"|^"|"\n?$/gu, "")
          .replace(/\\[nt"]/gu, " ")
          .trim()
      : "";
  };
  for (const file of fs
    .readdirSync(django, { recursive: true })
    .filter((name) => name.endsWith("django.po"))
    .sort()) {
    const language = /locale\/([^/]+)\//u.exec(file)?.[1] ?? "";
    if (!/^(de|es|fr|it|ja|ko|nl|pl|pt_BR|ru|tr|uk|zh_Hans|zh_Hant|sv|vi|id|ar|cs)$/u.test(language)) continue;
    for (const block of fs.readFileSync(path.join(django, file), "utf8").split("\n\n")) {
      const [id, text] = [quoted(block, "msgid"), quoted(block, "msgstr")];
      if (id.length > 2 && text.length > 1) twins.push([text, id, language]);
    }
  }
  return twins.filter(([a, b]) => a !== b && b.length < 300);
}
