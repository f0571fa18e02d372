export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something that is wrong in a configuration or another document, with its position. */
export interface Problem {
  /** The file, or a name for data that has none. */
  readonly file: string;
  /** For example `toolRules[2].enabled`; empty if it concerns the whole file. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly reason: string;
}

/** `file:line:column: path: reason`, without the parts that are unknown. */
export function describeProblem(problem: Problem): string {
  return `${problem.file}${inFile(problem)}`;
}

/** The same without the file, for a message that has named it already. */
export function describeInFile(problem: Problem): string {
  return inFile(problem).replace(/^:\s?/, "");
}

function inFile({ line, column, path, reason }: Problem): string {
  const position = line === undefined ? "" : `:${line}:${column ?? 1}`;
  return `${position}: ${path === "" ? "" : `${path}: `}${reason.replace(/\.$/, "")}`;
}

export function pathText(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (/^[\p{L}\p{N}_$-]+$/u.test(segment)) text += text === "" ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}
