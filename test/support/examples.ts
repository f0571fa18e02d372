import { type Fence, fencesOf, readMarkdownPages } from "./markdown.js";

export interface PageExamples {
  readonly path: string;
  readonly examples: readonly Fence[];
}

interface ExampleRunner {
  createExampleHome(): string;
  runExample(script: string, home: string): Promise<{ exit: number; output: string }>;
  stepsOf(text: string): { command: string; shown: string }[];
  isShown(shown: string, output: string): boolean;
}

const SHELLS = new Set(["sh", "bash", "shell", "zsh", "console", "powershell"]);
/** Runs the examples; `npm run docs:record` uses it too. */
export const runner = (await import(new URL("../../scripts/docs/examples.mjs", import.meta.url).href)) as ExampleRunner;

/** The shell examples of every page that has one. */
export function readShellExamples(): readonly PageExamples[] {
  return readMarkdownPages()
    .map(({ path, text }) => ({ path, examples: fencesOf(text).filter(({ language }) => SHELLS.has(language)) }))
    .filter(({ examples }) => examples.length > 0);
}
