import type { RestMember } from "../../model/operation.js";
import { encodeForm } from "./encode.js";
import { toPairs, toText } from "./style.js";

/** A member of a body that has a value. */
export interface Filled {
  readonly member: RestMember;
  readonly value: unknown;
}

/** `application/x-www-form-urlencoded`. Where the document does not say how, lists repeat the name and objects are JSON. */
export function toForm(filled: readonly Filled[]): string {
  return filled
    .flatMap(({ member, value }) => {
      const write = (text: string): string => encodeForm(text, member.argument);
      return fieldsOf(member, value).map(([key, text]) => `${write(key)}=${write(text)}`);
    })
    .join("&");
}

/** Of a form or of parts: each name with its text. */
export function fieldsOf({ name, style, explode }: RestMember, value: unknown): [string, string][] {
  if (style === undefined && explode === undefined) {
    const values = Array.isArray(value) ? value : [value];
    return values.map((each) => [name, toText(each)]);
  }
  const how = { style: style ?? "form", explode: explode ?? (style ?? "form") === "form" } as const;
  return toPairs(name, value, how).map((pair) => [pair.name, pair.parts.join(pair.separator)]);
}
