import type { RestMember } from "../../model/operation.js";
import { encodeForm } from "./encode.js";
import { toPairs, toParameterText } from "./style.js";

/** A member of a request body with its value. */
export interface Filled {
  readonly member: RestMember;
  readonly value: unknown;
}

/**
 * Encodes `application/x-www-form-urlencoded`. If the API document defines no style, arrays repeat the name and objects
 * become JSON.
 */
export function toFormBody(filled: readonly Filled[]): string {
  return filled
    .flatMap(({ member, value }) => {
      const write = (text: string): string => encodeForm(text, member.argument);
      return fieldsOf(member, value).map(([key, text]) => `${write(key)}=${write(text)}`);
    })
    .join("&");
}

/** The names and values of a form field or a multipart field. */
export function fieldsOf({ name, style, explode }: RestMember, value: unknown): [string, string][] {
  if (style === undefined && explode === undefined) {
    const values = Array.isArray(value) ? value : [value];
    return values.map((each) => [name, toParameterText(each)]);
  }
  const how = { style: style ?? "form", explode: explode ?? (style ?? "form") === "form" } as const;
  return toPairs(name, value, how).map((pair) => [pair.name, pair.parts.join(pair.separator)]);
}
