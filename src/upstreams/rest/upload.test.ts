import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_UPLOAD_BYTES, readUpload } from "./upload.js";

let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "upload-")));
  for (const folder of ["allowed", "allowed/deep", "other", "allowed-not"]) mkdirSync(join(place, folder));
  for (const file of ["allowed/a.txt", "allowed/deep/b.txt", "other/secret", "allowed-not/c"])
    writeFileSync(join(place, file), file);
  symlinkSync(join(place, "other/secret"), join(place, "allowed/link"));
  symlinkSync(join(place, "other"), join(place, "allowed/folder"));
  symlinkSync(join(place, "allowed/a.txt"), join(place, "allowed/inner"));
  symlinkSync(join(place, "allowed"), join(place, "alias"));
  writeFileSync(join(place, "allowed/huge"), "");
  truncateSync(join(place, "allowed/huge"), MAX_UPLOAD_BYTES + 1);
  execFileSync("mkfifo", [join(place, "allowed/pipe")]);
});
afterAll(() => rmSync(place, { recursive: true }));

const read = (value: unknown, folders = [join(place, "allowed")]) =>
  readUpload("file", value, { server: "api", folders });

describe("a file", () => {
  it.each([
    ["in the folder", "allowed/a.txt", "allowed/a.txt"],
    ["below the folder", "allowed/deep/b.txt", "allowed/deep/b.txt"],
    ["behind a link that stays inside the folder", "allowed/inner", "allowed/a.txt"],
    ["behind another name of the folder", "alias/a.txt", "allowed/a.txt"],
  ])("%s is accepted", async (_, path, content) => {
    expect((await read(join(place, path))).bytes.toString()).toBe(content);
  });

  it("is found by its relative name in the folder", async () => {
    expect(await read("deep/b.txt")).toEqual({ name: "b.txt", bytes: Buffer.from("allowed/deep/b.txt") });
  });

  it.each([
    ["outside", "other/secret"],
    ["that does not exist", "other/nothing"],
    ["behind a link", "allowed/link"],
    ["behind a folder that is a link", "allowed/folder/secret"],
    ["above the folder", "allowed/../other/secret"],
    ["in a folder whose name has the same prefix", "allowed-not/c"],
    ["that is the folder itself", "allowed"],
  ])("%s is rejected, and the error explains how to allow it", async (_, path) => {
    await expect(read(join(place, path))).rejects.toMatchObject({
      code: "TOOL_VALIDATION_ERROR",
      message: 'The argument "file" names a file outside the allowed upload folders.',
      hint: expect.stringContaining("adapters.api.uploads"),
      executed: "no",
    });
  });

  it.each([
    ["huge", "exceeds the limit of 50 MiB"],
    ["deep", "not the path of a file"],
    ["pipe", "not the path of a file"],
    ["nothing", "cannot be read"],
    ["a\0", "not the path"],
    ["../other/secret", "outside"],
  ])("%j is rejected with the reason", async (path, what) => {
    await expect(read(path)).rejects.toMatchObject({ message: expect.stringContaining(what) });
  });

  it.each([7, "", null, {}])("rejects %j", async (value) => {
    await expect(read(value)).rejects.toMatchObject({ message: expect.stringContaining("is not the path of a file") });
  });

  it("is rejected unless a folder is allowed", async () => {
    const hint = "The user can allow a folder in adapters.api.uploads.";
    await expect(read(join(place, "allowed/a.txt"), [])).rejects.toMatchObject({ hint });
  });

  it.each([
    ["data:text/plain;base64,aGk=", { name: "file", bytes: Buffer.from("hi"), contentType: "text/plain" }],
    ["data:;base64,aGk=", { name: "file", bytes: Buffer.from("hi") }],
  ])("may be a data: URL: %s", async (value, upload) => {
    expect(await read(value, [])).toEqual(upload);
  });

  it.each(["data:,x", "data:text/plain,x", "data:;base64,%%%"])("rejects the data: URL %s", async (value) => {
    await expect(read(value)).rejects.toMatchObject({ message: expect.stringContaining("data:type;base64") });
  });
});
