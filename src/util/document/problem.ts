export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem in the configuration or another document, with its position. */
export interface Problem {
  /** The file name, or a name for data that does not come from a file. */
  readonly file: string;
  /** The location of the invalid value, such as `toolRules[2].enabled`; empty if the whole file is meant. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly reason: string;
}

/** A problem as one line, `file:line:column: path: reason`, without the parts that are unknown. */
export function describeProblem(problem: Problem): string {
  return `${problem.file}${inFile(problem)}`;
}

/** Like `describeProblem`, but without the file, for messages that already name the file. */
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
