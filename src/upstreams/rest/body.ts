// The body that a document describes and the arguments of a call come in; bytes with their type go out.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { RestBody } from "../../model/operation.js";
import { type Filled, toForm } from "./form.js";
import { isHeaderValue } from "./headers.js";
import { toMultipart } from "./multipart.js";
import { toText } from "./style.js";
import { readUpload, type UploadParts } from "./upload.js";
import { wrongArgument } from "./wrong-argument.js";

export interface SentBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export async function toBody(body: RestBody, values: JsonObject, uploads: UploadParts): Promise<SentBody | undefined> {
  const filled = fill(body, values);
  if (filled === undefined) return undefined;
  const contentType = isHeaderValue(body.contentType) ? body.contentType : "application/octet-stream";
  switch (body.kind) {
    case "json":
      return { contentType, bytes: Buffer.from(toJson(body, filled)) };
    case "form":
      return { contentType, bytes: Buffer.from(toForm(membersOf(body, filled))) };
    case "multipart":
      return await toMultipart(membersOf(body, filled), uploads);
    case "text":
      return { contentType, bytes: Buffer.from(wholeText(filled)) };
    case "binary":
      return await toBinary(contentType, filled, uploads);
  }
}

/** What the arguments say of the body; undefined when they say nothing of it and it may be left out. */
function fill(body: RestBody, values: JsonObject): readonly Filled[] | undefined {
  const members = body.members ?? [{ argument: body.argument ?? "body", name: "" }];
  const filled = members
    .map((member) => ({ member, value: values[member.argument] }))
    .filter(({ value }) => value !== undefined);
  if (filled.length > 0) return filled;
  if (!body.required) return undefined;
  if (body.members !== undefined) return [];
  throw wrongArgument(body.argument ?? "body", "is missing, and the request needs a body");
}

function toJson(body: RestBody, filled: readonly Filled[]): string {
  if (body.members === undefined) return JSON.stringify(filled[0]?.value);
  // A member may be called __proto__, which an assignment would swallow.
  return JSON.stringify(Object.fromEntries(filled.map(({ member, value }) => [member.name, value])));
}

/** A form that is one argument has the members of its value. */
function membersOf(body: RestBody, filled: readonly Filled[]): readonly Filled[] {
  if (body.members !== undefined) return filled;
  const [whole] = filled;
  if (!isJsonObject(whole?.value)) throw wrongArgument(body.argument ?? "body", "is not an object");
  const { argument } = whole.member;
  return Object.entries(whole.value).map(([name, value]) => ({ member: { argument, name }, value }));
}

function wholeText(filled: readonly Filled[]): string {
  const [whole] = filled;
  const text = toText(whole?.value);
  if (!text.isWellFormed()) throw wrongArgument(whole?.member.argument ?? "body", "holds half a character");
  return text;
}

/** JSON has no bytes: they come from a file or a data: address. */
async function toBinary(contentType: string, filled: readonly Filled[], uploads: UploadParts): Promise<SentBody> {
  const [whole] = filled;
  const file = await readUpload(whole?.member.argument ?? "body", whole?.value, uploads);
  const isOne = !/[*,]/.test(contentType);
  return { contentType: isOne ? contentType : (file.contentType ?? "application/octet-stream"), bytes: file.bytes };
}
