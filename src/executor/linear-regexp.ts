import { compileLinearPattern, type LinearPattern } from "../util/linear-pattern.js";

const NativeRegExp = globalThis.RegExp;

/**
 * Replaces `RegExp` in the validation worker, because the schema library compiles patterns from servers with it.
 * Matching takes linear time (RE2). Patterns that RE2 cannot express (lookaround, backreferences) use the native
 * RegExp; the time limit of the worker stops them if they are slow.
 */
export class LinearRegExp {
  readonly #matches: (text: string) => boolean;

  constructor(source: string, flags = "") {
    const pattern = compileLinear(source, flags);
    if (pattern === undefined) {
      const native = new NativeRegExp(source, flags);
      this.#matches = (text) => native.test(text);
    } else {
      this.#matches = (text) => pattern.test(text);
    }
  }

  test(text: string): boolean {
    return this.#matches(text);
  }
}

function compileLinear(source: string, flags: string): LinearPattern | undefined {
  try {
    return compileLinearPattern(source, flags.includes("i"));
  } catch {
    return undefined;
  }
}
