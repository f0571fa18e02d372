// Builds the request body from its description in the API document and the arguments of a call.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { RestBody } from "../../model/operation.js";
import { type Filled, toFormBody } from "./form.js";
import { isHeaderValue } from "./headers.js";
import { toMultipart } from "./multipart.js";
import { toParameterText } from "./style.js";
import { readUpload, type UploadParts } from "./upload.js";
import { wrongArgument } from "./wrong-argument.js";

export interface SentBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export async function toRequestBody(
  body: RestBody,
  values: JsonObject,
  uploads: UploadParts,
): Promise<SentBody | undefined> {
  const filled = fill(body, values);
  if (filled === undefined) return undefined;
  const contentType = isHeaderValue(body.contentType) ? body.contentType : "application/octet-stream";
  switch (body.kind) {
    case "json":
      return { contentType, bytes: Buffer.from(toJson(body, filled)) };
    case "form":
      return { contentType, bytes: Buffer.from(toFormBody(membersOf(body, filled))) };
    case "multipart":
      return await toMultipart(membersOf(body, filled), uploads);
    case "text":
      return { contentType, bytes: Buffer.from(wholeText(filled)) };
    case "binary":
      return await toBinary(contentType, filled, uploads);
  }
}

/**
 * The body members with their argument values. Undefined if no argument belongs to the body and the body is optional.
 */
function fill(body: RestBody, values: JsonObject): readonly Filled[] | undefined {
  const members = body.members ?? [{ argument: body.argument ?? "body", name: "" }];
  const filled = members
    .map((member) => ({ member, value: values[member.argument] }))
    .filter(({ value }) => value !== undefined);
  if (filled.length > 0) return filled;
  if (!body.required) return undefined;
  if (body.members !== undefined) return [];
  throw wrongArgument(body.argument ?? "body", "is missing, but the request requires a body");
}

function toJson(body: RestBody, filled: readonly Filled[]): string {
  if (body.members === undefined) return JSON.stringify(filled[0]?.value);
  // `Object.fromEntries` also keeps a member named __proto__, which an assignment would drop.
  return JSON.stringify(Object.fromEntries(filled.map(({ member, value }) => [member.name, value])));
}

/** The members of a form. If one argument contains the whole form, the properties of its value are the members. */
function membersOf(body: RestBody, filled: readonly Filled[]): readonly Filled[] {
  if (body.members !== undefined) return filled;
  const [whole] = filled;
  if (!isJsonObject(whole?.value)) throw wrongArgument(body.argument ?? "body", "is not an object");
  const { argument } = whole.member;
  return Object.entries(whole.value).map(([name, value]) => ({ member: { argument, name }, value }));
}

function wholeText(filled: readonly Filled[]): string {
  const [whole] = filled;
  const text = toParameterText(whole?.value);
  if (!text.isWellFormed()) throw wrongArgument(whole?.member.argument ?? "body", "contains an unpaired surrogate");
  return text;
}

/** JSON cannot represent bytes, so they come from a file or a data: URL. */
async function toBinary(contentType: string, filled: readonly Filled[], uploads: UploadParts): Promise<SentBody> {
  const [whole] = filled;
  const file = await readUpload(whole?.member.argument ?? "body", whole?.value, uploads);
  const isOne = !/[*,]/.test(contentType);
  return { contentType: isOne ? contentType : (file.contentType ?? "application/octet-stream"), bytes: file.bytes };
}
