import type { DescribedParameter } from "../described.js";
import { unsupportedOperation } from "../refuse.js";

export interface CheckedPath {
  /**
   * The path in the document without its fragment. It includes the query parameters that have a fixed value; these are
   * sent unchanged.
   */
  readonly path: string;
  /** The names of the query parameters that the path already contains. */
  readonly fixed: ReadonlySet<string>;
}

/** Checks a path from the document. Throws if a request built from it could reach a URL outside the base URL. */
export function checkPath(written: string): CheckedPath {
  if (!written.startsWith("/")) throw unsupportedOperation("has a path that does not start with a slash");
  if (!written.isWellFormed() || written.length > 2_000)
    throw unsupportedOperation("has a path that is too long or not valid Unicode");
  const [before = ""] = written.split("#", 1);
  if (/\\|\p{Cc}|\s/u.test(before))
    throw unsupportedOperation("has a path with a backslash, white space or a control character");
  const [path = "", query = ""] = before.split("?", 2);
  const plain = path.replace(/%2e/gi, ".").replace(/%2f|%5c/gi, "/");
  if (plain.split("/").some((step) => step === "." || step === "..")) {
    throw unsupportedOperation("has a path that leaves its base address");
  }
  // Leave out query parameters with a placeholder: they are treated as ordinary parameters.
  const pairs = query.split("&").filter((pair) => pair !== "" && !/[{}]/.test(pair));
  const fixed = new Set(new URLSearchParams(pairs.join("&")).keys());
  return { path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}`, fixed };
}

/**
 * Adds a parameter for each placeholder that has none. Removes path parameters without a placeholder, and query
 * parameters that the path itself sets.
 */
export function withPathParameters(
  { path, fixed }: CheckedPath,
  given: readonly DescribedParameter[],
): DescribedParameter[] {
  const names = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ""));
  const used = given.filter(({ in: location, name }) =>
    location === "path" ? names.has(name) : location !== "query" || !fixed.has(name),
  );
  const known = new Set(used.filter((parameter) => parameter.in === "path").map(({ name }) => name));
  const missing = [...names].filter((name) => !known.has(name)).map(plainParameter);
  return [...missing, ...used];
}

function plainParameter(name: string): DescribedParameter {
  return {
    name,
    in: "path",
    style: "simple",
    explode: false,
    isRequired: true,
    isJson: false,
    allowsReserved: false,
    isDeprecated: false,
    schema: { type: "string" },
  };
}
