// Removes stack traces and local paths from the error texts of servers. They are of no use to a model, cost tokens and
// reveal details of the machine.
import { homedir, tmpdir } from "node:os";

/** A position such as `/app/index.js:12:3`, `node:internal/main:28:49` or `Main.java:12`. */
const POSITION = String.raw`(?:[^\s()]*:\d+(?::\d+)?|<anonymous>|native|Native Method|Unknown Source)`;
/** One stack frame of JavaScript or Java: `at parse (/app/index.js:12:3)`, `at async /app/index.js:12:3`. */
const FRAME = String.raw`at (?:async )?(?:[^\s()](?:[^()\n]{0,200}[^\s()])? ?\(${POSITION}\)|(?:file:\/\/|node:|[A-Za-z]:\\|\/)[^\s()]*:\d+:\d+)`;
const FRAME_LINE = new RegExp(String.raw`^\s*(?:${FRAME}(?: \{)?|\.\.\. \d+ more)\s*$`);
const INLINE_FRAMES = new RegExp(String.raw`(?:\s+${FRAME})+`, "g");
/** One stack frame of Python: `  File "/app/main.py", line 3, in run`. The next line is the source line. */
const PYTHON_FRAME = /^\s*File "[^"\n]*", line \d+(?:, in .+)?$/;
const PYTHON_HEAD = /^\s*Traceback \(most recent call last\):\s*$/;
/** Longer texts are not searched. An error text of this length is data rather than a message. */
const MAX_LENGTH = 100_000;

/** Removes the stack frames from an error text. Returns a text without frames unchanged. */
export function withoutStackFrames(text: string): string {
  if (text.length > MAX_LENGTH || !/\bat \S|\bFile "/.test(text)) return text;
  const lines = text.split("\n");
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (FRAME_LINE.test(line)) continue;
    if (PYTHON_FRAME.test(line)) {
      while (/^\s{4,}\S/.test(lines[index + 1] ?? "") && !PYTHON_FRAME.test(lines[index + 1] ?? "")) index += 1;
      continue;
    }
    const isHead = PYTHON_HEAD.test(line) && PYTHON_FRAME.test(lines[index + 1] ?? "");
    if (!isHead) kept.push(line.replace(INLINE_FRAMES, ""));
  }
  const result = kept.join("\n");
  return result === text ? text : result.trimEnd();
}

/** An absolute path. A URL is not one, because the character before its slashes is a colon. */
const PATH = /(?<![\w:/.~-])(?:file:\/\/)?(?:[A-Za-z]:[\\/]|\/)(?:[^\s"'`<>|?*:;,()[\]{}]+)/g;
const PRIVATE = /^(?:\/home\/|\/Users\/|\/root\/|\/tmp\/|\/private\/|\/var\/folders\/|[A-Za-z]:[\\/]Users[\\/])/;

/**
 * Replaces the absolute paths of home, temporary and `node_modules` folders with the last part of each. A path in
 * `node_modules` keeps the name of its package.
 */
export function withoutLocalPaths(text: string): string {
  if (text.length > MAX_LENGTH) return text;
  const own = [homedir(), tmpdir()].filter((folder) => folder.length > 1);
  return text.replace(PATH, (written) => {
    const path = written.replace(/^file:\/\//, "");
    const [, inPackages] = /[\\/]node_modules[\\/](?!.*[\\/]node_modules[\\/])(.+)$/.exec(path) ?? [];
    if (inPackages !== undefined) return inPackages;
    const isLocal = PRIVATE.test(path) || own.some((folder) => path === folder || path.startsWith(`${folder}/`));
    return isLocal ? (/[^\\/]+(?=[\\/]*$)/.exec(path)?.[0] ?? path) : written;
  });
}
