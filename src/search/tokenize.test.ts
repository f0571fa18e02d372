import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toKey, tokenize, tokenizeQuery } from "./tokenize.js";

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
    ["OAuth eBay iPhone", ["oauth", "ebay", "iphone"]],
    ["s3 k8s oauth2", ["s3", "k8s", "oauth2", "oauth"]],
    ["Café Über", ["cafe", "uber"]],
    ["ＡＢＣ", ["abc"]],
    ["Поиск файлов", ["поиск", "файлов"]],
    ["搜索结果", ["搜索", "索结", "结果", "搜索结果"]],
    ["搜索", ["搜索"]],
    ["查询GitHub仓库", ["查询", "git", "hub", "github", "仓库"]],
    ["อากาศ", ["อา", "าก", "กา", "าศ", "อากาศ"]],
    ["…!? --- ", []],
    ["", []],
  ])("%j becomes %j", (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  it("never throws and returns no empty words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const word of tokenize(text)) expect(word).not.toBe("");
      }),
    );
  });
});

describe("tokenizeQuery", () => {
  it.each([
    ["Show me ISSUES, open issues", [], ["show", "me", "issues", "open", "issues"]],
    ["GitHub issues", [], ["git", "hub", "issues"]],
    ["GitHub issues", ["github"], ["github", "issues"]],
    ["createIssue", ["create", "issue", "createissue"], ["create", "issue", "createissue"]],
  ])("%j with %j known becomes %j", (query, known, words) => {
    expect(tokenizeQuery(query, (word) => known.includes(word))).toEqual(words);
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
