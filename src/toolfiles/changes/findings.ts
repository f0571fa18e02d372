import { type ChangeKind, greaterKind } from "./versions.js";

const MAX_LINES = 40;

/** Collects the differences between two tool definitions, and the most significant kind of change among them. */
export class ChangeFindings {
  #kind: ChangeKind = "same";
  readonly #lines: string[] = [];
  #more = 0;

  get kind(): ChangeKind {
    return this.#kind;
  }

  add(kind: ChangeKind, line: string): void {
    this.#kind = greaterKind(this.#kind, kind);
    if (this.#lines.includes(line)) return;
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
    else this.#more += 1;
  }

  lines(): readonly string[] {
    return this.#more === 0 ? [...this.#lines] : [...this.#lines, `and ${this.#more} more`];
  }
}
