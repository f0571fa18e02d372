import type { DescribedParameter } from "../described.js";
import { refuse } from "../refuse.js";

export interface CheckedPath {
  /** With the query that the document writes into it, which is sent as it is. */
  readonly path: string;
  /** What that query says already. */
  readonly fixed: ReadonlySet<string>;
}

/** A path as a document writes it, refused where a request built from it could leave the base address. */
export function checkPath(written: string): CheckedPath {
  if (!written.startsWith("/")) throw refuse("has a path that does not start with a slash");
  if (!written.isWellFormed() || written.length > 2_000) throw refuse("has a path that no request can have");
  const [before = ""] = written.split("#", 1);
  if (/\\|\p{Cc}|\s/u.test(before)) throw refuse("has a path with characters that do not belong there");
  const [path = "", query = ""] = before.split("?", 2);
  const plain = path.replace(/%2e/gi, ".").replace(/%2f|%5c/gi, "/");
  if (plain.split("/").some((step) => step === "." || step === "..")) {
    throw refuse("has a path that leaves its base address");
  }
  // A value that is a placeholder is an ordinary parameter.
  const pairs = query.split("&").filter((pair) => pair !== "" && !/[{}]/.test(pair));
  const fixed = new Set(new URLSearchParams(pairs.join("&")).keys());
  return { path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}`, fixed };
}

/** Every placeholder of the path has a parameter, no parameter of it is without one, and none says what the path says. */
export function withPathParameters(
  { path, fixed }: CheckedPath,
  given: readonly DescribedParameter[],
): DescribedParameter[] {
  const names = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ""));
  const used = given.filter(({ in: place, name }) =>
    place === "path" ? names.has(name) : place !== "query" || !fixed.has(name),
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
