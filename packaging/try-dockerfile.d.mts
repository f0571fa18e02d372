export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
  readonly words: readonly string[];
}

export function parseDockerfile(source: string): Instruction[];
