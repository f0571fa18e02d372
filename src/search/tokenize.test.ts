import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toKey, toStem, tokenize, tokenizeQuery } from "./tokenize.js";

describe("tokenize", () => {
  it.each([
    ["create_issue", ["create", "issue"]],
    ["create-issue", ["create", "issue"]],
    ["repos/list.files:all", ["repos", "list", "files", "all"]],
    ["createIssue", ["create", "issue", "createissue"]],
    ["GitHub", ["git", "hub", "github"]],
    ["HTMLParser", ["html", "parser", "htmlparser"]],
    ["getUserByID", ["get", "user", "by", "id", "getuserbyid"]],
    ["GITHUB_CREATE", ["github", "create"]],
    ["APIs", ["apis"]],
    ["s3 k8s oauth2", ["s3", "k8s", "oauth2", "oauth"]],
    ["Café Über", ["cafe", "uber"]],
    ["ＡＢＣ", ["abc"]],
    ["Поиск файлов", ["поиск", "файлов"]],
    ["搜索结果", ["搜索", "索结", "结果", "搜索结果"]],
    ["搜索", ["搜索"]],
    ["…!? --- ", []],
    ["", []],
  ])("%j becomes %j", (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  it("never throws and gives no empty words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const word of tokenize(text)) expect(word).not.toBe("");
      }),
    );
  });
});

describe("tokenizeQuery", () => {
  it.each([
    ["Please show me the open issues", [], ["show", "open", "issues"]],
    ["issues issues ISSUES", [], ["issues"]],
    ["GitHub issues", [], ["git", "hub", "issues"]],
    ["GitHub issues", ["github"], ["github", "issues"]],
    ["createIssue", ["create", "issue", "createissue"], ["create", "issue", "createissue"]],
    ["what is it to you?", [], []],
  ])("%j with %j known becomes %j", (query, known, words) => {
    expect(tokenizeQuery(query, (word) => known.includes(word))).toEqual(words);
  });

  it("takes the first 64 words of an endless query", () => {
    const query = Array.from({ length: 500 }, (_, index) => `word${index}`).join(" ");
    expect(tokenizeQuery(query, () => false)).toHaveLength(64);
  });
});

describe("toStem", () => {
  it.each([
    ["issues", "issue"],
    ["searching", "searched"],
    ["repositories", "repository"],
  ])("is the same for %s and %s", (left, right) => {
    expect(toStem(left)).toBe(toStem(right));
  });
});

describe("toKey", () => {
  it.each(["create_issue", "create-issue", "createIssue", "Create Issue", "CREATE.ISSUE"])(
    "is the same for %s",
    (name) => {
      expect(toKey(name)).toBe("createissue");
    },
  );
});
