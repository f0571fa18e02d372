import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toGuide, toHtmlPage, toIssues } from "./large-documents.mjs";

/**
 * @typedef {object} Reading one call of `anygpt:read_result` and what its answer must be
 * @property {object} request
 * @property {(answer: string) => boolean} isRight compares the answer with the file
 *
 * @typedef {{ name: string, path: string, text: string, readings: Reading[] }} LargeFile
 */

/**
 * Writes large files of each kind that servers return, with readings of them.
 * @returns {LargeFile[]}
 */
export function writeLargeFiles(folder) {
  const files = [
    logFile(30_000),
    csvFile(30_000),
    issuesFile(900),
    htmlFile(13_700),
    minifiedFile(60_000),
    base64File(2_000_000),
    guideFile(1500),
  ];
  return files.map(({ file, ...rest }) => {
    const path = join(folder, file);
    writeFileSync(path, rest.text);
    return { ...rest, path };
  });
}

function logFile(count) {
  const lines = Array.from({ length: count }, (_, n) => {
    const time = new Date(Date.UTC(2024, 4, 1, 10) + n * 1730).toISOString();
    if (n % 1999 === 1998)
      return `${time} ERROR worker-${n % 7} request req-${hashOf(n)} failed after ${n % 907} ms: upstream answered 503`;
    return `${time} INFO worker-${n % 7} handled request req-${hashOf(n)} in ${n % 97} ms, status 200, ${(n * 37) % 9000} bytes`;
  });
  const text = lines.join("\n");
  return { name: "log", file: "server.log", text, readings: [grepOf(text, "answered 503"), linesOf(text, 2000)] };
}

function csvFile(count) {
  const lines = Array.from({ length: count - 1 }, (_, n) => {
    const note = n % 50 === 7 ? `"paid late, reminder ${n}"` : "";
    return `${10_000 + n},customer-${hashOf(n)},${(n * 3) % 2000}.50,${["EUR", "USD", "CHF"][n % 3]},${["open", "paid"][n % 2]},${note}`;
  });
  const text = ["order,customer,amount,currency,state,note", ...lines].join("\n");
  const order = 10_000 + Math.floor(count * 0.9);
  return { name: "CSV", file: "orders.csv", text, readings: [grepOf(text, `^${order},`), linesOf(text, 1200)] };
}

function issuesFile(count) {
  const value = toIssues(count);
  const text = JSON.stringify(value, null, 2);
  const login = value.items[Math.floor(count * 0.7)].user.login;
  return {
    name: "nested JSON",
    file: "issues.json",
    text,
    readings: [
      {
        request: { select: `items[?user.login=='${login}'].head.repo.owner.login` },
        isRight: sameJson(
          value.items.filter((item) => item.user.login === login).map((item) => item.head.repo.owner.login),
        ),
      },
      grepOf(text, `"login": "${login}"`),
      linesOf(text, 5000),
    ],
  };
}

function htmlFile(count) {
  const text = toHtmlPage(count);
  const readings = [grepOf(text, `Product ${Math.floor(count * 0.8)}<`), linesOf(text, 3000)];
  return { name: "HTML", file: "catalog.html", text, readings };
}

function minifiedFile(count) {
  const items = Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${hashOf(id)}`,
    city: ["Turin", "Oslo", "Lima"][id % 3],
    score: (id * 7919) % 1000,
  }));
  const value = { total: count, next: null, items };
  const at = Math.floor(count * 0.75);
  const range = items.slice(at, at + 10).map((item, offset) => `${at + offset}: ${JSON.stringify(item)}`);
  return {
    name: "minified JSON",
    file: "records.json",
    text: JSON.stringify(value),
    readings: [
      {
        request: { select: "sort_by(items[?city=='Oslo'], &score)[-3:].id" },
        isRight: sameJson(
          items
            .filter(({ city }) => city === "Oslo")
            .sort((one, other) => one.score - other.score)
            .slice(-3)
            .map(({ id }) => id),
        ),
      },
      grepOf(JSON.stringify(value, null, 2), `record ${hashOf(at)}"`),
      linesOf(JSON.stringify(value, null, 2), 9000),
      { request: { items: `${at}-${at + 9}` }, isRight: (answer) => answer.startsWith(range.join("\n")) },
    ],
  };
}

function base64File(bytes) {
  const data = Buffer.concat(
    Array.from({ length: Math.ceil(bytes / 32) }, (_, n) => createHash("sha256").update(String(n)).digest()),
  );
  const sha256 = createHash("sha256").update(data).digest("hex");
  const value = { name: "scan.png", mimeType: "image/png", data: data.toString("base64"), pages: [1, 2, 3], sha256 };
  const pretty = JSON.stringify(value, null, 2);
  return {
    name: "base64 in JSON",
    file: "scan.json",
    text: JSON.stringify(value),
    readings: [
      { request: { select: "sha256" }, isRight: (answer) => answer === sha256 },
      { ...grepOf(pretty, `"sha256"`), isRight: (answer) => answer.includes(`"sha256": "${sha256}"`) },
      { request: { lines: "1-3" }, isRight: (answer) => answer.startsWith(pretty.split("\n").slice(0, 3).join("\n")) },
    ],
  };
}

function guideFile(count) {
  const text = toGuide(count);
  const readings = [grepOf(text, `^## Section ${Math.floor(count / 2)}\\b`), linesOf(text, 4000)];
  return { name: "Markdown", file: "guide.md", text, readings };
}

/** Every matching line must be in the answer with its number, unless the answer names the next one. */
function grepOf(text, grep) {
  const pattern = new RegExp(grep);
  const hits = text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${index + 1}: ${line}`] : []));
  const header = `${hits.length.toLocaleString("en-US")} matching line`;
  return {
    request: { grep, context: 0 },
    isRight: (answer) => hits.length > 0 && answer.startsWith(header) && hits.every((hit) => answer.includes(hit)),
  };
}

/** 20 lines, or the last 20 if the text is shorter. */
function linesOf(text, from) {
  const all = text.split("\n");
  const first = Math.min(from, all.length - 20);
  const expected = all.slice(first - 1, first + 19).join("\n");
  return { request: { lines: `${first}-${first + 19}` }, isRight: (answer) => answer.startsWith(expected) };
}

function sameJson(expected) {
  return (answer) => {
    try {
      return JSON.stringify(JSON.parse(answer)) === JSON.stringify(expected);
    } catch {
      return false;
    }
  };
}

function hashOf(number) {
  return createHash("sha256").update(`record ${number}`).digest("hex").slice(0, 10);
}
