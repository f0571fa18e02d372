import { describeInFile, type Problem } from "../../util/document/problem.js";

/** A problem without the name of its file: `line 3:7: …`. */
export function describeHere(problem: Problem): string {
  return `${problem.line === undefined ? "" : "line "}${describeInFile(problem)}`;
}
